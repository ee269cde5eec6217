// The FPGA manager of a virtual board, as AMD's kernels have one: the name of a file in
// /lib/firmware, written into an attribute, programs the logic.
#pragma once

#include <filesystem>

#include "base/status.h"

namespace vta::sim {

/// Below the board's folder.
inline constexpr const char* kManagerFolder = "sys/class/fpga_manager/fpga0";

/// Makes the manager's files, and those that tell the kind of device, below `folder`: a Zynq-7000
/// with the die xc7z020, as on a PYNQ-Z1. Errors: kIoError.
Status makeManagerFiles(const std::filesystem::path& folder);

/// Takes the bitstream whose name stands in the manager's attribute `firmware`, and sets its
/// `state`. Of a bitstream only the sync word and the die count. Returns 0, or the errno that the
/// kernel answers with.
int programLogic(const std::filesystem::path& folder);

}  // namespace vta::sim
