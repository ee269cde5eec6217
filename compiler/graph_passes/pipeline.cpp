// The order of the float graph's passes.
#include "compiler/graph_passes/passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

namespace vta::compiler {

void buildGraphOptimizationPipeline(mlir::OpPassManager& manager) {
  mlir::OpPassManager& function = manager.nest<mlir::func::FuncOp>();
  // Weights behind transposes and reshapes become constants, which the next passes look for.
  function.addPass(createGraphFoldConstantsPass());
  // Identities and pairs of reshapes and transposes vanish: they would hide neighbours.
  function.addPass(mlir::createCanonicalizerPass());
  // The reshapes around convolutions of sequences would, too.
  function.addPass(createGraphRaiseRankPass());
  function.addPass(mlir::createCanonicalizerPass());
  function.addPass(createGraphFoldBatchNormPass());
  function.addPass(createGraphFoldPadPass());
  function.addPass(createGraphSimplifyPass());
  function.addPass(createGraphFoldAffinePass());
  // Once the constants behind a transposed convolution are in it.
  function.addPass(createGraphRewriteConvTransposePass());
  // Parameters merged above may be neutral now, and equal constants are shared.
  function.addPass(createGraphSimplifyPass());
  function.addPass(mlir::createCanonicalizerPass());
  function.addPass(mlir::createCSEPass());
}

}  // namespace vta::compiler
