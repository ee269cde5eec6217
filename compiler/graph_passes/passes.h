// Optimisation of float graphs: what happens between import and quantisation.
//
// Every pass runs on a func.func and keeps what the graph computes, up to the rounding of constants
// that are combined at compile time.
#pragma once

#include <memory>

namespace mlir {
class OpPassManager;
class Pass;
}  // namespace mlir

namespace vta::compiler {

/// `graph-fold-constants`: ops on constants become constants.
std::unique_ptr<mlir::Pass> createGraphFoldConstantsPass();

/// `graph-fold-batch-norm`: inference batch normalisation becomes a multiplication and an addition
/// per channel, which graph-fold-affine then moves into the contraction in front.
std::unique_ptr<mlir::Pass> createGraphFoldBatchNormPass();

/// `graph-fold-affine`: multiplications and additions of constants per channel go into the weights
/// and bias of the convolution, transposed convolution or matmul in front; chains of them are
/// merged.
std::unique_ptr<mlir::Pass> createGraphFoldAffinePass();

/// `graph-fold-pad`: explicit padding goes into the convolution or pool behind it where the meaning
/// allows it.
std::unique_ptr<mlir::Pass> createGraphFoldPadPass();

/// `graph-rewrite-conv-transpose`: transposed convolutions with constant weights become
/// convolutions whose channels graph.interleave puts between each other; clips move in front of
/// that.
std::unique_ptr<mlir::Pass> createGraphRewriteConvTransposePass();

/// `graph-simplify`: clamps merged and named, neutral operands dropped, spatial means and maxima as
/// pools, batched matmuls with a constant matrix flattened.
std::unique_ptr<mlir::Pass> createGraphSimplifyPass();

/// All of the above in the order that works, with canonicalisation between. Named `graph-optimize`
/// in vta-opt.
void buildGraphOptimizationPipeline(mlir::OpPassManager& manager);

/// Registers the passes and the pipeline by name. Call once per process.
void registerGraphPasses();

}  // namespace vta::compiler
