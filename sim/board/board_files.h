// The plain files of a virtual board.
#pragma once

#include <filesystem>
#include <string>

#include "base/status.h"
#include "sim/board/virtual_board.h"

namespace vta::sim {

/// Makes what Linux shows of a board with a UIO device "vta", a u-dma-buf memory "udmabuf0", zocl's
/// render node "renderD128", a clock "fclk0" and an FPGA manager. Errors: kIoError.
Status makeBoardFiles(const VirtualBoardOptions& options);

/// Replaces a file's content by a line, making its folder. Errors: kIoError.
Status writeBoardFile(const std::filesystem::path& path, const std::string& text);

}  // namespace vta::sim
