#include "base/tensor.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <functional>
#include <numeric>
#include <type_traits>

#include "base/half.h"

namespace vta {
namespace {

struct DTypeInfo {
  DType dtype;
  std::string_view name;
  size_t size_bytes;
};

constexpr std::array<DTypeInfo, 13> kDTypes = {{{DType::kF32, "float32", 4},
                                                {DType::kF64, "float64", 8},
                                                {DType::kI8, "int8", 1},
                                                {DType::kU8, "uint8", 1},
                                                {DType::kI16, "int16", 2},
                                                {DType::kU16, "uint16", 2},
                                                {DType::kI32, "int32", 4},
                                                {DType::kU32, "uint32", 4},
                                                {DType::kI64, "int64", 8},
                                                {DType::kU64, "uint64", 8},
                                                {DType::kBool, "bool", 1},
                                                {DType::kF16, "float16", 2},
                                                {DType::kBF16, "bfloat16", 2}}};

/// Calls `visit` with a value of the C++ type that holds elements of a float type.
template <typename Visit>
void visitFloat(DType dtype, Visit&& visit) {
  switch (dtype) {
    case DType::kF32:
      return visit(float{});
    case DType::kF64:
      return visit(double{});
    case DType::kF16:
      return visit(Half{});
    default:
      return visit(Bfloat{});
  }
}

/// float32 and double become each other directly, 16-bit floats by way of float32.
template <typename To, typename From>
To convertFloat(From value) {
  constexpr bool is_wide = std::is_floating_point_v<From> && std::is_floating_point_v<To>;
  if constexpr (is_wide) {
    return static_cast<To>(value);
  } else {
    return static_cast<To>(static_cast<float>(value));
  }
}

}  // namespace

size_t dtypeBytes(DType dtype) { return kDTypes[static_cast<size_t>(dtype)].size_bytes; }

std::string_view dtypeName(DType dtype) { return kDTypes[static_cast<size_t>(dtype)].name; }

std::optional<DType> dtypeFromName(std::string_view name) {
  for (const DTypeInfo& info : kDTypes) {
    if (info.name == name) return info.dtype;
  }
  return std::nullopt;
}

bool isFloat(DType dtype) {
  return dtype == DType::kF32 || dtype == DType::kF64 || dtype == DType::kF16 ||
         dtype == DType::kBF16;
}

Tensor toFloatType(const Tensor& tensor, DType dtype) {
  if (tensor.dtype == dtype) return tensor;
  Tensor result = Tensor::zeros(dtype, tensor.shape);
  visitFloat(tensor.dtype, [&](auto from) {
    visitFloat(dtype, [&](auto to) {
      std::ranges::transform(
          tensor.as<decltype(from)>(), result.as<decltype(to)>().begin(),
          [](decltype(from) value) { return convertFloat<decltype(to)>(value); });
    });
  });
  return result;
}

Tensor Tensor::zeros(DType dtype, std::vector<int64_t> shape) {
  Tensor tensor{dtype, std::move(shape), {}};
  tensor.data.resize(static_cast<size_t>(tensor.elementCount()) * dtypeBytes(dtype));
  return tensor;
}

int64_t Tensor::elementCount() const {
  return std::accumulate(shape.begin(), shape.end(), int64_t{1}, std::multiplies<>());
}

std::string describe(DType dtype, std::span<const int64_t> shape) {
  if (shape.empty()) return fmt::format("scalar {}", dtypeName(dtype));
  return fmt::format("{} {}", fmt::join(shape, "x"), dtypeName(dtype));
}

}  // namespace vta
