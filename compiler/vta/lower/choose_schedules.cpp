#include <fmt/format.h>

#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "compiler/common/current_node.h"
#include "compiler/dialects/vta/vta.h"
#include "compiler/kernel/plan/kernel_plan.h"
#include "compiler/vta/common/hw_pass.h"
#include "compiler/vta/lower/kernel_program.h"
#include "compiler/vta/passes.h"
#include "llvm/Support/MemoryBuffer.h"
#include "mlir/Support/FileUtilities.h"

namespace vta::compiler {

#define GEN_PASS_DEF_CHOOSESCHEDULESPASS
#include "compiler/vta/passes.h.inc"

namespace {

class ChooseSchedulesPass : public HwPass<impl::ChooseSchedulesPassBase<ChooseSchedulesPass>> {
 public:
  using HwPass::HwPass;
  ChooseSchedulesPass(const HwConfig& hw, ScheduleSources sources)
      : HwPass(hw), sources_(std::move(sources)) {}

  mlir::LogicalResult initialize(mlir::MLIRContext* context) override {
    if (failed(HwPass::initialize(context))) return mlir::failure();
    if (schedules_file.empty()) return mlir::success();
    const Status status = readSchedules();
    if (status.ok()) return mlir::success();
    return emitUserError(mlir::UnknownLoc::get(context), status.code()) << status.message();
  }

  void runOnOperation() override {
    const Status status = chooseSchedules();
    if (status.ok()) return;
    emitUserError(mlir::UnknownLoc::get(&getContext()), status.code()) << status.message();
    signalPassFailure();
  }

 private:
  Status readSchedules() {
    std::string error;
    const auto file = mlir::openInputFile(schedules_file, &error);
    if (!file) return ioError(error);
    VTA_ASSIGN_OR_RETURN(sources_.given, kernel::parseSchedules(std::string_view(file->getBuffer()),
                                                                schedules_file, hw_));
    return {};
  }

  Status chooseSchedules() {
    kernel::ScheduleChooser chooser(hw_, sources_.hints);
    kernel::GivenSchedules given(sources_.given);
    const std::vector<KernelOp> kernels = kernelsOf(getOperation());
    searchAhead(kernels, chooser);
    std::vector<std::string> layers;
    for (KernelOp op : kernels) {
      layers.push_back(op.getLayer().str());
      VTA_ASSIGN_OR_RETURN(const kernel::LayerSchedule* own, given.take(layers.back()));
      const Status status = own != nullptr ? useGiven(op, *own) : choose(op, chooser);
      if (!status.ok()) return status;
    }
    return given.checkAllTaken(layers);
  }

  /// Of the kernels that get no schedule from elsewhere.
  void searchAhead(const std::vector<KernelOp>& kernels, kernel::ScheduleChooser& chooser) const {
    std::set<std::string_view> given;
    for (const kernel::LayerSchedule& layer : sources_.given) given.insert(layer.layer);
    std::vector<kernel::KernelDesc> left;
    for (KernelOp op : kernels) {
      if (op.getSchedule() || given.contains(op.getLayer())) continue;
      left.push_back(namedDesc(op));
    }
    int64_t done = 0;
    chooser.searchAhead(left, [&] {
      if (sources_.progress) sources_.progress("choose schedules", ++done, std::ssize(left));
    });
  }

  Status useGiven(KernelOp op, const kernel::LayerSchedule& given) {
    const Status status = kernel::checkSchedule(namedDesc(op), given.schedule, hw_);
    if (!status.ok()) {
      const Status error = layerError(op.getLayer(), status);
      return given.place.empty() ? error : error.withContext(given.place);
    }
    setSchedule(op, given.schedule, kGivenSchedule);
    return {};
  }

  static Status choose(KernelOp op, kernel::ScheduleChooser& chooser) {
    if (op.getSchedule()) {
      if (!op.getScheduleOrigin()) op.setScheduleOrigin(kKeptSchedule);
      return {};
    }
    const std::string label = fmt::format("layer '{}'", op.getLayer().str());
    const WorkingOn working_on(label);
    const auto chosen = chooser.choose(namedDesc(op));
    if (!chosen.ok()) return layerError(op.getLayer(), chosen.status());
    setSchedule(op, chosen->schedule, chosen->origin);
    return {};
  }

  static void setSchedule(KernelOp op, const kernel::Schedule& schedule,
                          const std::string& origin) {
    op.setScheduleAttr(ScheduleAttr::get(op.getContext(), schedule));
    op.setScheduleOrigin(origin);
  }

  ScheduleSources sources_;
};

}  // namespace

std::unique_ptr<mlir::Pass> createChooseSchedulesPass(const HwConfig& hw, ScheduleSources sources) {
  return std::make_unique<ChooseSchedulesPass>(hw, std::move(sources));
}

}  // namespace vta::compiler
