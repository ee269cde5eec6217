// How a group's tensors are packed: geometry in blocks, and its constants in packed layout.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "compiler/kernel/desc/kernel_desc.h"
#include "compiler/vta/partition/group.h"
#include "isa/config/hw_config.h"
#include "mlir/IR/BuiltinTypes.h"

namespace vta::compiler {

struct PackPlan {
  kernel::KernelDesc desc;  // without a name
  // The plain tensors as vta.pack takes them: NCHW, or [rows, channels].
  llvm::SmallVector<int64_t> plain_input;
  llvm::SmallVector<int64_t> plain_output;
  llvm::SmallVector<int64_t> plain_residual;
  std::vector<int8_t> weight;  // [OC/bo][IC/bi][KH][KW][bo][bi]; contractions only
  std::vector<int32_t> param;  // [num_params][OC/bo][b][bo]
};

/// Plans the packing of a group found by findGroup. In lanes past the real channels weights are
/// zeros and parameters those of the last channel. Biases and bounds may be higher than the group's
/// by what int8 outputs do not show (kernel/bias_folding.h).
PackPlan planPacking(const OffloadGroup& group, const HwConfig& hw);

}  // namespace vta::compiler
