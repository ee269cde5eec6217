// The constants of a module, each stored once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

namespace vta::compiler {

/// Collects constants into one section. Equal bytes share their place.
class ConstantPool {
 public:
  /// Offset of `bytes` in the section; a multiple of 64.
  uint64_t add(std::span<const std::byte> bytes);

  /// Hands the section over; the pool is empty afterwards.
  std::vector<std::byte> take();

 private:
  struct Entry {
    uint64_t offset_bytes;
    uint64_t size_bytes;
  };
  std::vector<std::byte> section_;
  std::multimap<uint64_t, Entry> by_checksum_;
};

}  // namespace vta::compiler
