// Values at places in untrusted bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>

namespace vta {

/// The T at `offset_bytes` in this machine's byte order, or nothing when it does not lie inside.
template <typename T>
std::optional<T> readAt(std::span<const std::byte> bytes, uint64_t offset_bytes) {
  if (bytes.size() < sizeof(T) || offset_bytes > bytes.size() - sizeof(T)) return std::nullopt;
  T value;
  std::memcpy(&value, bytes.data() + offset_bytes, sizeof(T));
  return value;
}

}  // namespace vta
