// Registers of PTX as numbers of C++.
#pragma once

#include <bit>
#include <cstdint>
#include <functional>
#include <string_view>
#include <type_traits>

#include "tests/driver/gpu/ptx/ptx_kernel.h"

namespace vta::driver::test {

template <typename T>
T ptxValue(uint64_t bits) {
  if constexpr (std::is_same_v<T, float>) return std::bit_cast<float>(static_cast<uint32_t>(bits));
  if constexpr (std::is_same_v<T, double>) return std::bit_cast<double>(bits);
  if constexpr (std::is_integral_v<T>) return static_cast<T>(bits);
}

template <typename T>
uint64_t ptxBits(T value) {
  if constexpr (std::is_same_v<T, float>) return std::bit_cast<uint32_t>(value);
  if constexpr (std::is_same_v<T, double>) return std::bit_cast<uint64_t>(value);
  if constexpr (std::is_integral_v<T>) return static_cast<std::make_unsigned_t<T>>(value);
}
template <>
inline uint64_t ptxBits<bool>(bool value) {
  return value ? 1 : 0;
}

/// Calls `then` with a value of the type that `name` says; what it gives, or nothing.
template <typename Then>
std::function<void(PtxInvocation&)> withPtxType(std::string_view name, Then then) {
  if (name == "u8" || name == "b8") return then(uint8_t{});
  if (name == "s8") return then(int8_t{});
  if (name == "u16" || name == "b16") return then(uint16_t{});
  if (name == "s16") return then(int16_t{});
  if (name == "u32" || name == "b32") return then(uint32_t{});
  if (name == "s32") return then(int32_t{});
  if (name == "u64" || name == "b64") return then(uint64_t{});
  if (name == "s64") return then(int64_t{});
  if (name == "f32") return then(float{});
  if (name == "f64") return then(double{});
  return {};
}

template <typename T>
using PtxUnsigned = std::make_unsigned_t<T>;

}  // namespace vta::driver::test
