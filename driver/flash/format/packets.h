// The packets that configure an FPGA: enough of them to know for which die they are, and whether
// they are all there (UG470 for the 7 series, UG570 for UltraScale+).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "base/status.h"

namespace vta::flash {

/// How the bytes of a 32-bit word lie in the file.
enum class WordOrder : uint8_t {
  kBigEndian,  // as Vivado writes .bit and .bin
  kSwapped,    // as Linux's FPGA manager takes them
};

struct Configuration {
  uint64_t sync_offset_bytes = 0;  // of the first sync word
  WordOrder order = WordOrder::kBigEndian;
  std::optional<uint32_t> idcode;  // what is written to the register IDCODE, if anything
  uint64_t frame_words = 0;        // written to the frames
  bool is_compressed = false;      // frames are written several times
  bool is_encrypted = false;       // packets behind this cannot be read
};

/// Reads the packets in `data`. Errors: kInvalidArgument when there is no sync word (with what else
/// the data seem to be), or when the packets end early.
Result<Configuration> readConfiguration(std::span<const std::byte> data);

}  // namespace vta::flash
