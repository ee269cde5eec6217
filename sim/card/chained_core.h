// A core that XRT starts itself: the core behind the hardware's vta_ap_ctrl_chain.
#pragma once

#include <memory>

#include "sim/board/board_core.h"

namespace vta::sim {

/// `core` behind the Verilated module, whose registers are now those of docs/boards.md, "A kernel
/// that XRT starts".
std::unique_ptr<BoardCore> makeChainedCore(std::unique_ptr<BoardCore> core);

}  // namespace vta::sim
