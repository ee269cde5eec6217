#include "driver/flash/format/bit_header.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

namespace vta::flash {
namespace {

// A field of nine bytes, and the number 1.
constexpr std::array<uint8_t, 13> kBitMagic = {0x00, 0x09, 0x0f, 0xf0, 0x0f, 0xf0, 0x0f,
                                               0xf0, 0x0f, 0xf0, 0x00, 0x00, 0x01};

/// Takes big-endian numbers and texts from the front of a file.
class HeaderReader {
 public:
  explicit HeaderReader(std::span<const std::byte> file) : file_(file) {}

  uint64_t position() const { return position_; }

  std::optional<uint64_t> number(uint64_t size_bytes) {
    if (size_bytes > file_.size() - position_) return std::nullopt;
    uint64_t value = 0;
    for (uint64_t i = 0; i < size_bytes; ++i) {
      value = value << 8 | std::to_integer<uint64_t>(file_[position_++]);
    }
    return value;
  }

  /// Of a 16-bit length; the zero at its end is left out.
  std::optional<std::string> text() {
    const std::optional<uint64_t> length = number(2);
    if (!length || *length > file_.size() - position_) return std::nullopt;
    const auto* begin = reinterpret_cast<const char*>(file_.data() + position_);
    position_ += *length;
    std::string value(begin, *length);
    return value.substr(0, value.find('\0'));
  }

 private:
  std::span<const std::byte> file_;
  uint64_t position_ = kBitMagic.size();
};

Status cutOff() {
  return invalidArgument("the header of the .bit file is cut off; copy or download the file again");
}

Status checkLength(const BitHeader& header, uint64_t file_bytes) {
  const uint64_t found = file_bytes - header.data_offset_bytes;
  if (found == header.data_bytes) return {};
  return invalidArgument(
      fmt::format("the header announces {} bytes of configuration, the file has {}; it was {}, so "
                  "copy or download it again",
                  header.data_bytes, found, found < header.data_bytes ? "cut off" : "extended"));
}

}  // namespace

bool beginsAsBit(std::span<const std::byte> file) {
  if (file.size() < kBitMagic.size()) return false;
  return std::equal(kBitMagic.begin(), kBitMagic.end(), file.begin(),
                    [](uint8_t a, std::byte b) { return a == std::to_integer<uint8_t>(b); });
}

Result<BitHeader> readBitHeader(std::span<const std::byte> file) {
  BitHeader header;
  HeaderReader reader(file);
  while (true) {
    const std::optional<uint64_t> key = reader.number(1);
    if (!key) return cutOff();
    if (*key == 'e') break;
    std::string* field = *key == 'a'   ? &header.design
                         : *key == 'b' ? &header.part
                         : *key == 'c' ? &header.date
                         : *key == 'd' ? &header.time
                                       : nullptr;
    if (field == nullptr) {
      return invalidArgument(fmt::format(
          "the header of the .bit file has an unknown field 0x{:02x}; the file is damaged", *key));
    }
    std::optional<std::string> text = reader.text();
    if (!text) return cutOff();
    *field = *std::move(text);
  }
  const std::optional<uint64_t> length = reader.number(4);
  if (!length) return cutOff();
  header.data_bytes = *length;
  header.data_offset_bytes = reader.position();
  VTA_RETURN_IF_ERROR(checkLength(header, file.size()));
  return header;
}

}  // namespace vta::flash
