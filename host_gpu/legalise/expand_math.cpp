// gpu-expand-math: functions of f32 as sums and products.
#include "host_gpu/legalise/expansions.h"
#include "host_gpu/legalise/passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace vta::codegen {

#define GEN_PASS_DEF_GPUEXPANDMATHPASS
#include "host_gpu/legalise/passes.h.inc"

namespace {

using namespace mlir;

class GpuExpandMathPass : public impl::GpuExpandMathPassBase<GpuExpandMathPass> {
 public:
  void runOnOperation() override {
    expandArcs(getOperation());
    expandRemainders(getOperation());
    expandIntegerPowers(getOperation());
    expandLargeConversions(getOperation());
    RewritePatternSet patterns(&getContext());
    populateExpandTanPattern(patterns);
    populateExpandSinhPattern(patterns);
    populateExpandCoshPattern(patterns);
    populateExpandAsinhPattern(patterns);
    populateExpandAcoshPattern(patterns);
    populateExpandAtanhPattern(patterns);
    populateMathPolynomialApproximationPatterns(patterns);
    if (failed(applyPatternsAndFoldGreedily(getOperation(), std::move(patterns)))) {
      signalPassFailure();
    }
  }
};

}  // namespace
}  // namespace vta::codegen
