// The passes in order.
#include <utility>

#include "compiler/vta/passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

namespace vta::compiler {

void buildPartitionPipeline(mlir::OpPassManager& pm, const HwConfig& hw, bool require_offload,
                            const placement::PlacementOptions& placement,
                            std::vector<placement::Misplaced>* misplaced) {
  pm.addPass(createMergeMovesPass());
  pm.addPass(createRewriteFirstLayerPass(hw));
  pm.addPass(createOrderChannelsPass(hw));
  pm.addPass(createReadWholeBlocksPass(hw));
  pm.addPass(createPadChannelsPass());
  pm.addPass(createPartitionPass(hw, placement.rules));
  pm.addPass(createPlaceProgramsPass(hw));
  pm.addPass(createPackPass(hw));
  pm.addPass(createTensorisePass(hw));
  if (hw.params().ext_requant) pm.addPass(createFuseRequantisationPass(hw));
  if (hw.params().ext_depthwise) pm.addPass(createFoldDepthwisePass(hw));
  if (hw.params().wgt_width_bits < 8) {
    pm.addPass(createFactorWeightsPass(hw));
    pm.addPass(createNarrowWeightsPass(hw));
  }
  pm.addPass(createReadStoredWeightsPass(hw));
  if (require_offload) pm.addPass(createRequireOffloadPass(placement.rules));
  // One pack for all users of a value, before it becomes part of a host function.
  pm.addNestedPass<mlir::func::FuncOp>(mlir::createCSEPass());
  pm.addPass(createPlaceConcatPass());
  pm.addPass(createPlaceSlicePass());
  pm.addPass(createOutlineHostPass(placement, misplaced));
}

void buildLoweringPipeline(mlir::OpPassManager& pm, const HwConfig& hw, ScheduleSources sources,
                           bool verify) {
  const bool with_chains = sources.with_chains && hw.params().ext_handover;
  const kernel::ScheduleHints hints = sources.hints;
  pm.addPass(createChooseSchedulesPass(hw, std::move(sources)));
  if (with_chains) pm.addPass(createChooseChainsPass(hw, hints));
  pm.addPass(createLowerKernelsPass(hw, verify));
}

}  // namespace vta::compiler
