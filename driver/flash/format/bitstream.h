// A file that configures an FPGA, of any of the formats that tools write.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "driver/flash/format/bit_header.h"
#include "driver/flash/format/fpga_dies.h"
#include "driver/flash/format/packets.h"
#include "driver/flash/format/xclbin.h"

namespace vta::flash {

enum class BitstreamFormat : uint8_t { kBit, kBin, kXclbin };
/// ".bit", ".bin", ".xclbin"; the content decides, never the file's name.
std::string_view formatName(BitstreamFormat format);

struct Bitstream {
  BitstreamFormat format = BitstreamFormat::kBin;
  std::optional<BitHeader> header;    // of a .bit file
  std::optional<Xclbin> container;    // of an .xclbin file
  uint64_t packets_offset_bytes = 0;  // where the configuration lies in the file
  uint64_t packets_bytes = 0;
  /// Nothing for a container whose bitstream is the platform's affair: that of a card.
  std::optional<Configuration> configuration;
};

/// Reads a file's structure. Errors: kInvalidArgument when it is none of the formats or damaged;
/// kUnsupported with the reason for images of Versal devices, boot images, and encrypted
/// bitstreams.
Result<Bitstream> readBitstream(std::span<const std::byte> file);

/// Ok when the configuration is for `die`. Error kInvalidArgument with both.
Status checkDie(const Bitstream& bitstream, const FpgaDie& die);

/// What Linux's FPGA manager takes of `file`: words swapped, the sync word at a multiple of four
/// bytes, no header. Error: kUnsupported for a container without a configuration of its own.
Result<std::vector<std::byte>> managerImage(const Bitstream& bitstream,
                                            std::span<const std::byte> file);

/// A name that no other content has: "vta-1f3a....bin". The kernel caches firmware by its name, and
/// a file of the same name may lie in a folder that is searched earlier.
std::string firmwareName(std::span<const std::byte> image);

}  // namespace vta::flash
