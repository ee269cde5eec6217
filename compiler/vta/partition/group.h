// What one kernel may compute: a contraction, pool or element-wise chain with its epilogue, found
// in the integer graph by walking back from its int8 result.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "compiler/kernel/desc/kernel_desc.h"
#include "isa/config/hw_config.h"
#include "llvm/ADT/SetVector.h"
#include "mlir/IR/Operation.h"

namespace vta::compiler {

/// One ALU operation on all accumulators: x = op(x, operand).
struct GroupStep {
  AluOpcode opcode = AluOpcode::kAdd;
  kernel::EpilogueStep::Source source = kernel::EpilogueStep::Source::kImmediate;
  int32_t imm = 0;                     // kImmediate; QMUL's shift
  std::vector<int32_t> channel_param;  // kParam: one value per channel of the output
  bool is_computed = false;            // kParam: its values are OffloadGroup::bias
};

/// How outputs are stored that are depth to space, repeated, cropped, or padded with what they hold
/// themselves; see kernel::Geometry.
struct GroupInterleave {
  mlir::Operation* op = nullptr;  // graph.interleave; of what is not interleaved, graph.slice or
                                  // graph.pad
  int64_t rows = 1, cols = 1;     // its block
  int64_t groups = 1;
  bool repeats = false;
  int64_t crop_top = 0, crop_left = 0, crop_bottom = 0, crop_right = 0;
  kernel::Border border = kernel::Border::kEdge;  // beyond the image, where a crop is negative
};

struct OffloadGroup {
  kernel::KernelKind kind = kernel::KernelKind::kElementwise;
  mlir::Operation* root = nullptr;  // its only result is the int8 output
  mlir::Operation* main = nullptr;  // contraction or pool; null for kElementwise
  mlir::Operation* pool = nullptr;  // maximum pooling of a contraction's accumulators; else null
  mlir::Value input;
  mlir::Value weight;               // [G, K, N], of a contraction of [G, M, K]; null if constant
  mlir::Value bias;                 // i32, [G, 1, N], with such weights; null if constant or none
  mlir::Value residual;             // null if none
  bool residual_per_image = false;  // of an image of one pixel, which all pixels share
  mlir::Value computed;  // what the epilogue gives: root's result, unless that is interleaved
  std::optional<GroupInterleave> interleave;
  std::vector<GroupStep> epilogue;
  std::vector<GroupStep> residual_steps;
  std::string join;  // the user's operation that joins the residual; empty for the ALU's own
  std::vector<int8_t> table;  // of LUT steps: results for -128 to 127; empty without them
  /// Everything that the kernel replaces, root first; constants are not listed.
  llvm::SetVector<mlir::Operation*> ops;
};

/// The group that ends in `root`; maximum pooling takes in the convolution before it where one
/// kernel of both is faster. The error says, for reports, why there is none on `hw`.
Result<OffloadGroup> findGroup(mlir::Operation* root, const HwConfig& hw);

/// True for operations that may end a group: casts to i8, element-wise or pooling ops on i8,
/// graph.interleave of i8, alone or with a slice that crops it, and crops of i8 images and their
/// padding with what they hold themselves.
bool isGroupRoot(mlir::Operation* op);

/// Whether kernels may compute `value`, which may be several of their results side by side.
bool mayComeFromKernels(mlir::Value value);
/// Whether anything but the host reads `value`.
bool mayGoToKernels(mlir::Value value);

/// The channel axis of an activation: 1 for NCHW, the last one otherwise.
int64_t channelAxis(int64_t rank);

}  // namespace vta::compiler
