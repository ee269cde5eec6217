// The wire format of protocol buffers, as far as ONNX files need it. Written by hand, so that the
// library brings no protobuf of its own into a process that may have another one.
#pragma once

#include <bit>
#include <cstdint>
#include <string>
#include <string_view>

namespace vta::ort {

/// One message; fields are written in the order of the calls.
class ProtobufWriter {
 public:
  /// A whole number or an enumerator. Negative ones take ten bytes, as the format wants.
  void number(uint32_t field, int64_t value) {
    key(field, 0);
    varint(static_cast<uint64_t>(value));
  }
  void real(uint32_t field, float value) {
    key(field, 5);
    const auto bits = std::bit_cast<uint32_t>(value);
    for (int shift = 0; shift < 32; shift += 8) bytes_ += static_cast<char>(bits >> shift);
  }
  /// A text, or bytes.
  void text(uint32_t field, std::string_view value) {
    key(field, 2);
    varint(value.size());
    bytes_ += value;
  }
  void message(uint32_t field, const ProtobufWriter& value) { text(field, value.bytes_); }

  const std::string& bytes() const { return bytes_; }

 private:
  void key(uint32_t field, uint32_t wire_type) { varint((uint64_t{field} << 3) | wire_type); }
  void varint(uint64_t value) {
    for (; value >= 0x80; value >>= 7) bytes_ += static_cast<char>(value | 0x80);
    bytes_ += static_cast<char>(value);
  }

  std::string bytes_;
};

}  // namespace vta::ort
