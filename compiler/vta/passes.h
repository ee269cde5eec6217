// The partition: from the quantised graph to kernels of the accelerator and host functions around
// them. passes.td describes each pass (docs/reference/passes.md is made from it); docs/compiler.md
// describes the phases and their invariants.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "compiler/common/progress.h"
#include "compiler/kernel/schedule/schedule_chooser.h"
#include "compiler/kernel/schedule/schedule_file.h"
#include "compiler/placement/wishes.h"
#include "isa/config/hw_config.h"

namespace mlir {
class OpPassManager;
class Pass;
}  // namespace mlir

namespace vta::compiler {

#define GEN_PASS_DECL
#include "compiler/vta/passes.h.inc"

// The passes that depend on the hardware, for a configuration that is not in a file.
std::unique_ptr<mlir::Pass> createRewriteFirstLayerPass(const HwConfig& hw);
std::unique_ptr<mlir::Pass> createOrderChannelsPass(const HwConfig& hw);
std::unique_ptr<mlir::Pass> createReadWholeBlocksPass(const HwConfig& hw);
/// Layers that `rules` want elsewhere are in no kernel.
std::unique_ptr<mlir::Pass> createPartitionPass(const HwConfig& hw,
                                                std::vector<placement::PlaceRule> rules = {});
std::unique_ptr<mlir::Pass> createPackPass(const HwConfig& hw);
std::unique_ptr<mlir::Pass> createPlaceProgramsPass(const HwConfig& hw);
std::unique_ptr<mlir::Pass> createTensorisePass(const HwConfig& hw);
std::unique_ptr<mlir::Pass> createFuseRequantisationPass(const HwConfig& hw);
std::unique_ptr<mlir::Pass> createFoldDepthwisePass(const HwConfig& hw);
std::unique_ptr<mlir::Pass> createFactorWeightsPass(const HwConfig& hw);
std::unique_ptr<mlir::Pass> createNarrowWeightsPass(const HwConfig& hw);
std::unique_ptr<mlir::Pass> createReadStoredWeightsPass(const HwConfig& hw);

/// What is elsewhere than the user wants it goes to `misplaced`, which outlives the pass.
std::unique_ptr<mlir::Pass> createOutlineHostPass(const placement::PlacementOptions& placement,
                                                  std::vector<placement::Misplaced>* misplaced);
/// What multiplies and is not on the VTA is an error, unless `rules` want it elsewhere.
std::unique_ptr<mlir::Pass> createRequireOffloadPass(std::vector<placement::PlaceRule> rules);

/// All of the passes, in order; the requirement only if `require_offload`. What is not for the VTA
/// is weighed between the back ends. Afterwards @main holds constants, vta.kernel, vta.program,
/// vta.concat, calls of host functions and its return.
void buildPartitionPipeline(mlir::OpPassManager& pm, const HwConfig& hw,
                            bool require_offload = false,
                            const placement::PlacementOptions& placement = {},
                            std::vector<placement::Misplaced>* misplaced = nullptr);

/// Where schedules come from, besides the analytic model.
struct ScheduleSources {
  kernel::ScheduleHints hints = {};
  std::vector<kernel::LayerSchedule> given = {};  // of some layers
  Progress progress = {};                         // hears of the phase "choose schedules"
  bool with_chains = true;                        // where the hardware has extension `handover`
};
std::unique_ptr<mlir::Pass> createChooseSchedulesPass(const HwConfig& hw, ScheduleSources sources);
/// Chains are chosen by `hints.measure`; without it there are none.
std::unique_ptr<mlir::Pass> createChooseChainsPass(const HwConfig& hw, kernel::ScheduleHints hints);
/// `verify`: run the program verifier on every program.
std::unique_ptr<mlir::Pass> createLowerKernelsPass(const HwConfig& hw, bool verify);

/// After the partition: every kernel gets a schedule and a program. Errors: a kernel that cannot be
/// lowered for `hw`, a schedule that fits no layer; the message names the layer.
void buildLoweringPipeline(mlir::OpPassManager& pm, const HwConfig& hw, ScheduleSources sources,
                           bool verify);

}  // namespace vta::compiler
