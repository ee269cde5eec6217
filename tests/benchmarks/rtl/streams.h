// Streams of one kind of instruction each, which ask all of the array or of the bus.
#pragma once

#include <string_view>
#include <vector>

#include "isa/config/hw_config.h"
#include "isa/instruction/instruction.h"

namespace vta::bench {

/// gemm, alu, load_inp, load_wgt, load_acc, load_acc8, load_uop, store, or mixed: the GEMM stream
/// beside as many loads of INP and stores as the bus can take. FINISH included. Data addresses
/// begin at the bases; micro-ops are all zeros, so that indexes come from the loops alone.
std::vector<Instruction> streamOf(std::string_view kind, const HwConfig& hw);

}  // namespace vta::bench
