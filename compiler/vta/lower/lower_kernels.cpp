#include <fmt/format.h>

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "compiler/common/current_node.h"
#include "compiler/kernel/lower.h"
#include "compiler/vta/common/hw_pass.h"
#include "compiler/vta/lower/kernel_program.h"
#include "compiler/vta/passes.h"
#include "isa/program/verify/verifier.h"

namespace vta::compiler {

#define GEN_PASS_DEF_LOWERKERNELSPASS
#include "compiler/vta/passes.h.inc"

namespace {

#ifdef NDEBUG
constexpr bool kAlwaysVerify = false;
#else
constexpr bool kAlwaysVerify = true;
#endif

class LowerKernelsPass : public HwPass<impl::LowerKernelsPassBase<LowerKernelsPass>> {
 public:
  using HwPass::HwPass;
  LowerKernelsPass(const HwConfig& hw, bool verify_programs) : HwPass(hw) {
    verify = verify_programs;
  }

  void runOnOperation() override {
    // Neighbours start from opposite ends of the scratchpads, so that one can load while the other
    // ends. A chain ends at the end at which it has not started.
    kernel::Placement placement;
    const auto walked = getOperation().walk([&](mlir::Operation* op) {
      const std::optional<OffloadedOp> offloaded = asOffloaded(op);
      if (!offloaded || mlir::isa<ProgramOp>(op)) return mlir::WalkResult::advance();
      const std::string label = fmt::format("layer '{}'", offloaded->layer.str());
      const WorkingOn working_on(label);
      const Status status = lower(*offloaded, placement);
      if (status.ok()) {
        if (mlir::isa<KernelOp>(op)) placement.from_top = !placement.from_top;
        return mlir::WalkResult::advance();
      }
      emitUserError(mlir::UnknownLoc::get(&getContext()), status.code())
          << layerError(offloaded->layer, status).message();
      return mlir::WalkResult::interrupt();
    });
    if (walked.wasInterrupted()) signalPassFailure();
  }

 private:
  Status lower(const OffloadedOp& offloaded, const kernel::Placement& placement) {
    auto own = mlir::dyn_cast<KernelOp>(offloaded.op);
    VTA_ASSIGN_OR_RETURN(const Program program,
                         own ? kernelProgram(own, placement)
                             : chainProgram(mlir::cast<ChainOp>(offloaded.op), placement));
    const bool is_given = own && own.getScheduleOrigin() == kGivenSchedule;
    if (verify || kAlwaysVerify || is_given) {
      VTA_RETURN_IF_ERROR(verifyProgramStatus(program, hw_));
    }
    VTA_ASSIGN_OR_RETURN(const std::vector<std::byte> bytes, serializeProgram(program, hw_));
    offloaded.op->setAttr("program", programAttribute(&getContext(), offloaded.layer, bytes));
    return {};
  }

  Result<Program> kernelProgram(KernelOp op, const kernel::Placement& placement) const {
    if (!op.getSchedule()) {
      return invalidArgument("there is no schedule; vta-choose-schedules makes one");
    }
    return kernel::lower(namedDesc(op), op.getSchedule()->getValue(), hw_, placement);
  }

  Result<Program> chainProgram(ChainOp op, const kernel::Placement& placement) const {
    return kernel::lowerChain(namedChain(op), chainSchedule(op), hw_, placement);
  }
};

}  // namespace

std::unique_ptr<mlir::Pass> createLowerKernelsPass(const HwConfig& hw, bool verify) {
  return std::make_unique<LowerKernelsPass>(hw, verify);
}

}  // namespace vta::compiler
