// FNV-1a, 64 bits: fingerprints and checksums. Every step is a bijection of the state, so a change
// in a single byte always changes the result. Not for adversaries.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace vta {

inline uint64_t hashBytes(std::span<const std::byte> bytes) {
  uint64_t hash = 0xcbf29ce484222325u;
  for (std::byte b : bytes) hash = (hash ^ static_cast<uint8_t>(b)) * 0x100000001b3u;
  return hash;
}

inline uint64_t hashText(std::string_view text) {
  return hashBytes(std::as_bytes(std::span(text.data(), text.size())));
}

}  // namespace vta
