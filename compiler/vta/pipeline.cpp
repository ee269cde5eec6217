// The partition's passes in order, and their registration.
#include "compiler/vta/passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

namespace vta::compiler {

// Each next to its pass.
void registerRewriteFirstLayer();
void registerPartition();
void registerPack();
void registerTensorise();
void registerRequireOffload();
void registerPlaceConcat();
void registerOutlineHost();

void buildPartitionPipeline(mlir::OpPassManager& pm, const HwConfig& hw, bool require_offload) {
  pm.addPass(createRewriteFirstLayerPass(hw));
  pm.addPass(createPartitionPass(hw));
  pm.addPass(createPackPass(hw));
  pm.addPass(createTensorisePass(hw));
  if (require_offload) pm.addPass(createRequireOffloadPass());
  // One pack for all users of a value, before it becomes part of a host function.
  pm.addNestedPass<mlir::func::FuncOp>(mlir::createCSEPass());
  pm.addPass(createPlaceConcatPass());
  pm.addPass(createOutlineHostPass());
}

void registerPartitionPasses() {
  registerRewriteFirstLayer();
  registerPartition();
  registerPack();
  registerTensorise();
  registerRequireOffload();
  registerPlaceConcat();
  registerOutlineHost();
}

}  // namespace vta::compiler
