#include "driver/flash/format/packets.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace vta::flash {
namespace {

using Pattern = std::array<uint8_t, 4>;
constexpr Pattern kSync = {0xaa, 0x99, 0x55, 0x66};
constexpr Pattern kSyncSwapped = {0x66, 0x55, 0x99, 0xaa};
constexpr Pattern kSyncBitsReversed = {0x55, 0x99, 0xaa, 0x66};  // for 8-bit SelectMAP

constexpr uint32_t kSyncWord = 0xaa995566;
constexpr uint32_t kTypeOne = 1, kTypeTwo = 2;
constexpr uint32_t kWrite = 2;

enum Register : uint32_t {
  kFdri = 2,     // frames
  kCommand = 4,  //
  kControl0 = 5,
  kMfwr = 10,          // writes the last frame again
  kInitialValue = 11,  // of the decryption
  kIdcode = 12,
  kDecryptedWords = 26,
};
constexpr uint32_t kDesync = 13;
constexpr uint32_t kControl0Decrypt = 1u << 6;

std::optional<uint64_t> find(std::span<const std::byte> data, const Pattern& pattern) {
  const auto found =
      std::search(data.begin(), data.end(), pattern.begin(), pattern.end(),
                  [](std::byte a, uint8_t b) { return std::to_integer<uint8_t>(a) == b; });
  if (found == data.end()) return std::nullopt;
  return static_cast<uint64_t>(found - data.begin());
}

/// Walks through the words behind the sync word.
class PacketReader {
 public:
  PacketReader(std::span<const std::byte> data, Configuration& configuration)
      : data_(data), configuration_(configuration) {}

  Status read() {
    while (const std::optional<uint32_t> word = next()) {
      if (!is_synced_) {
        is_synced_ = *word == kSyncWord;
        continue;
      }
      VTA_RETURN_IF_ERROR(takePacket(*word));
      if (configuration_.is_encrypted) return {};
    }
    if (!is_synced_) return {};
    return invalidArgument(
        "the configuration does not end with DESYNC: the file was cut off; copy or download it "
        "again");
  }

 private:
  std::optional<uint32_t> next() {
    if (data_.size() < 4) return std::nullopt;
    uint32_t word = 0;
    for (size_t i = 0; i < 4; ++i) {
      const size_t at = configuration_.order == WordOrder::kBigEndian ? i : 3 - i;
      word = word << 8 | std::to_integer<uint32_t>(data_[at]);
    }
    data_ = data_.subspan(4);
    return word;
  }

  Status takePacket(uint32_t header) {
    const uint32_t type = header >> 29;
    if (type != kTypeOne && type != kTypeTwo) return {};  // padding
    if (type == kTypeOne) register_ = header >> 13 & 0x1f;
    const uint64_t count = type == kTypeOne ? header & 0x7ff : header & 0x07ffffff;
    if ((header >> 27 & 3) != kWrite) return {};  // nothing follows
    if (count > data_.size() / 4) {
      return invalidArgument(fmt::format(
          "the configuration ends within a packet of {} words, of which {} are there: the file was "
          "cut off; copy or download it again",
          count, data_.size() / 4));
    }
    takeWrite(count);
    return {};
  }

  void takeWrite(uint64_t count) {
    if (register_ == kFdri) {
      configuration_.frame_words += count;
      data_ = data_.subspan(count * 4);
      return;
    }
    configuration_.is_compressed |= register_ == kMfwr && count > 0;
    configuration_.is_encrypted |=
        count > 0 && (register_ == kInitialValue || register_ == kDecryptedWords);
    for (uint64_t i = 0; i < count && !configuration_.is_encrypted; ++i) takeValue(*next());
  }

  void takeValue(uint32_t value) {
    if (register_ == kIdcode && !configuration_.idcode) configuration_.idcode = value;
    if (register_ == kControl0) configuration_.is_encrypted |= (value & kControl0Decrypt) != 0;
    if (register_ == kCommand && value == kDesync) is_synced_ = false;
  }

  std::span<const std::byte> data_;
  Configuration& configuration_;
  uint32_t register_ = 0;
  bool is_synced_ = true;
};

Status noSyncWord(std::span<const std::byte> data) {
  if (find(data, kSyncBitsReversed)) {
    return invalidArgument(
        "the bits of every byte are reversed, as for 8-bit SelectMAP; write the file again with "
        "'write_bitstream -bin_file'");
  }
  return invalidArgument(
      "no sync word 0xaa995566 in the file: it is no bitstream, or it is damaged");
}

}  // namespace

Result<Configuration> readConfiguration(std::span<const std::byte> data) {
  const std::optional<uint64_t> plain = find(data, kSync);
  const std::optional<uint64_t> swapped = find(data, kSyncSwapped);
  if (!plain && !swapped) return noSyncWord(data);
  Configuration configuration;
  const bool is_swapped = swapped && (!plain || *swapped < *plain);
  configuration.order = is_swapped ? WordOrder::kSwapped : WordOrder::kBigEndian;
  configuration.sync_offset_bytes = is_swapped ? *swapped : *plain;
  PacketReader reader(data.subspan(configuration.sync_offset_bytes + 4), configuration);
  VTA_RETURN_IF_ERROR(reader.read());
  return configuration;
}

}  // namespace vta::flash
