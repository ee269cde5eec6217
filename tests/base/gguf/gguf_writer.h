// Writes GGUF files for tests.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

namespace vta::test::gguf {

/// Kinds of fields.
inline constexpr uint32_t kU8 = 0, kI8 = 1, kI16 = 3, kU32 = 4, kI32 = 5, kF32 = 6, kBool = 7,
                          kText = 8, kArray = 9, kU64 = 10, kI64 = 11, kF64 = 12;

/// Writes a file value by value.
class Writer {
 public:
  template <typename T>
  Writer& add(T value) {
    const size_t at = bytes_.size();
    bytes_.resize(at + sizeof value);
    std::memcpy(bytes_.data() + at, &value, sizeof value);
    return *this;
  }
  Writer& text(std::string_view text) {
    add<uint64_t>(text.size());
    for (const char letter : text) add(letter);
    return *this;
  }
  Writer& begin(uint64_t tensors, uint64_t fields, uint32_t version = 3) {
    for (const char letter : {'G', 'G', 'U', 'F'}) add(letter);
    return add(version).add(tensors).add(fields);
  }
  Writer& tensor(std::string_view name, std::vector<uint64_t> extents, uint32_t type,
                 uint64_t offset = 0) {
    text(name).add(static_cast<uint32_t>(extents.size()));
    for (const uint64_t extent : extents) add(extent);
    return add(type).add(offset);
  }
  Writer& align() {
    while (bytes_.size() % 32 != 0) add<uint8_t>(0);
    return *this;
  }
  std::vector<std::byte> bytes() const { return bytes_; }

 private:
  std::vector<std::byte> bytes_;
};

}  // namespace vta::test::gguf
