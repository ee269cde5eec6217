// The plain files of a virtual board.
#pragma once

#include "base/status.h"
#include "sim/board/virtual_board.h"

namespace vta::sim {

/// Makes what Linux shows of a board with a UIO device "vta", a u-dma-buf memory "udmabuf0", zocl's
/// render node "renderD128" and a clock "fclk0". Errors: kIoError.
Status makeBoardFiles(const VirtualBoardOptions& options);

}  // namespace vta::sim
