// The partition: from the quantised graph to kernels of the accelerator and host functions around
// them. Phases and their invariants: docs/compiler.md.
#pragma once

#include <memory>

#include "isa/config/hw_config.h"

namespace mlir {
class OpPassManager;
class Pass;
}  // namespace mlir

namespace vta::compiler {

/// Rewrites convolutions on model inputs with few channels so that they fill the GEMM core.
std::unique_ptr<mlir::Pass> createRewriteFirstLayerPass(const HwConfig& hw);

/// Outlines everything that the hardware can do into functions marked `vta.offload`, one per
/// kernel; the rest of @main gets its `vta.reason`.
std::unique_ptr<mlir::Pass> createPartitionPass(const HwConfig& hw);

/// Gives every offloaded function a reference on packed operands and calls it through
/// vta.pack and vta.unpack, which cancel between kernels.
std::unique_ptr<mlir::Pass> createPackPass(const HwConfig& hw);

/// Replaces calls of references that are proved to be built from the hardware's intrinsics by
/// vta.kernel; other groups go back into @main with the reason.
std::unique_ptr<mlir::Pass> createTensorisePass(const HwConfig& hw);

/// Turns concatenations into vta.concat where kernels, and perhaps host operations, can write each
/// part to its place in the joined tensor.
std::unique_ptr<mlir::Pass> createPlaceConcatPass();

/// Outlines everything in @main but constants, kernels and vta.concat into host functions, as few
/// as the kernels between them allow.
std::unique_ptr<mlir::Pass> createOutlineHostPass();

/// An error for every operation with multiply-accumulates that is left in @main, with its reason.
std::unique_ptr<mlir::Pass> createRequireOffloadPass();

/// All of the above, in order; the requirement only if `require_offload`. Afterwards @main holds
/// constants, vta.kernel, vta.concat, calls of host functions and its return.
void buildPartitionPipeline(mlir::OpPassManager& pm, const HwConfig& hw,
                            bool require_offload = false);

/// Registers the passes for vta-opt. Those that need a configuration take `hw=FILE`.
void registerPartitionPasses();

}  // namespace vta::compiler
