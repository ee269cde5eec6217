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

/// A product of two activations, [G, M, K] x [G, K, N]. Packed, each batch is a group of channels.
struct PairShape {
  int64_t batches = 1, rows = 1, depth = 1, columns = 1;
  int64_t padded_depth = 1, padded_columns = 1;  // to whole blocks
};

struct PackPlan {
  kernel::KernelDesc desc;  // without a name
  // Consecutive elements of INP that hold a pixel of the packed input, whose blocks are as large as
  // the outputs'. With several, they are columns of the kernel's geometry: its input is as many
  // times as wide, and so are its windows.
  int64_t pixel_elems = 1;
  // The plain tensors as vta.pack takes them: NCHW, or [rows, channels].
  llvm::SmallVector<int64_t> plain_input;
  llvm::SmallVector<int64_t> plain_output;
  llvm::SmallVector<int64_t> plain_residual;
  std::vector<int8_t> weight;     // [OC/bo][IC/bi][KH][KW][bo][bi]; contractions only
  std::vector<int32_t> param;     // [num_params][OC/bo][b][bo]
  std::optional<PairShape> pair;  // then `weight` is empty
  bool computes_bias = false;     // then `param` begins with the second parameter
};

/// Plans the packing of a group found by findGroup. In lanes past the real channels weights are
/// zeros and parameters those of the last channel. Biases and bounds may be higher than the group's
/// by what int8 outputs do not show (kernel/bias_folding.h). `packed_by_host`: the input is packed
/// on the host in any case, so that its blocks need not be those of other kernels' outputs.
PackPlan planPacking(const OffloadGroup& group, const HwConfig& hw, bool packed_by_host = false);

}  // namespace vta::compiler
