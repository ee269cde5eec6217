// The header of a .bit file: texts for people, and the length of what follows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "base/status.h"

namespace vta::flash {

/// What Vivado says about a bitstream. The part's package is that of the project it was built in:
/// other packages of the same die take the bitstream too.
struct BitHeader {
  std::string design;  // "vta_wrapper;UserID=0XFFFFFFFF;COMPRESS=TRUE;Version=2022.1"
  std::string part;    // "7z020clg484"
  std::string date;
  std::string time;
  uint64_t data_offset_bytes = 0;
  uint64_t data_bytes = 0;

  /// Whether it configures a region only: the design says so.
  bool isPartial() const { return design.find("PARTIAL=TRUE") != std::string::npos; }
};

/// Whether `file` begins as .bit files do.
bool beginsAsBit(std::span<const std::byte> file);

/// Reads the header of a file that begins as one. Errors: kInvalidArgument when the header is cut
/// off or damaged, or when it says another length than the file has.
Result<BitHeader> readBitHeader(std::span<const std::byte> file);

}  // namespace vta::flash
