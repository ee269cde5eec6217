// Bytes to and from ports of any width.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <span>
#include <type_traits>

namespace vta::hw::test {

/// Copies bytes, little endian, into a port of any width.
template <typename Port>
void setPort(Port& port, std::span<const std::byte> bytes) {
  if constexpr (std::is_integral_v<Port>) {
    port = 0;
    std::memcpy(&port, bytes.data(), std::min(bytes.size(), sizeof(Port)));
  } else {
    std::memcpy(&port.at(0), bytes.data(), bytes.size());
  }
}

template <typename Port>
void getPort(const Port& port, std::span<std::byte> bytes) {
  if constexpr (std::is_integral_v<Port>) {
    std::memcpy(bytes.data(), &port, bytes.size());
  } else {
    std::memcpy(bytes.data(), &port.at(0), bytes.size());
  }
}

}  // namespace vta::hw::test
