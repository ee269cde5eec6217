#include <cstddef>
#include <memory>
#include <vector>

#include "compiler/kernel/lower.h"
#include "compiler/vta/common/hw_pass.h"
#include "compiler/vta/lower/kernel_program.h"
#include "compiler/vta/passes.h"
#include "mlir/IR/AsmState.h"
#include "program/verify/verifier.h"

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
    // ends.
    kernel::Placement placement;
    for (KernelOp op : kernelsOf(getOperation())) {
      const Status status = lowerKernel(op, placement);
      if (!status.ok()) {
        emitUserError(mlir::UnknownLoc::get(&getContext()), status.code())
            << layerError(op, status).message();
        return signalPassFailure();
      }
      placement.from_top = !placement.from_top;
    }
  }

 private:
  Status lowerKernel(KernelOp op, const kernel::Placement& placement) {
    if (!op.getSchedule()) {
      return invalidArgument("there is no schedule; vta-choose-schedules makes one");
    }
    const kernel::Schedule& schedule = op.getSchedule()->getValue();
    VTA_ASSIGN_OR_RETURN(const Program program,
                         kernel::lower(namedDesc(op), schedule, hw_, placement));
    if (verify || kAlwaysVerify || op.getScheduleOrigin() == kGivenSchedule) {
      VTA_RETURN_IF_ERROR(verifyProgramStatus(program, hw_));
    }
    VTA_ASSIGN_OR_RETURN(const std::vector<std::byte> bytes, serializeProgram(program, hw_));
    op.setProgramAttr(resourceOf(bytes, op));
    return {};
  }

  static mlir::DenseI8ResourceElementsAttr resourceOf(const std::vector<std::byte>& bytes,
                                                      KernelOp op) {
    const llvm::ArrayRef<char> data(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    const auto type = mlir::RankedTensorType::get({std::ssize(bytes)},
                                                  mlir::IntegerType::get(op.getContext(), 8));
    return mlir::DenseI8ResourceElementsAttr::get(
        type, op.getLayer(),
        mlir::HeapAsmResourceBlob::allocateAndCopyWithAlign(data, alignof(uint64_t),
                                                            /*dataIsMutable=*/false));
  }
};

}  // namespace

std::unique_ptr<mlir::Pass> createLowerKernelsPass(const HwConfig& hw, bool verify) {
  return std::make_unique<LowerKernelsPass>(hw, verify);
}

}  // namespace vta::compiler
