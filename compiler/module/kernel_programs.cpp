#include "compiler/module/kernel_programs.h"

#include <fmt/format.h>

#include "compiler/kernel/desc/schedule.h"
#include "compiler/kernel/lower.h"
#include "program/verify/verifier.h"

namespace vta::compiler {
namespace {

struct Choice {
  kernel::Schedule schedule;
  const char* origin = nullptr;
};

Result<Choice> chooseSchedule(KernelOp op, const kernel::KernelDesc& desc,
                              const kernel::LayerSchedule* given,
                              kernel::ScheduleChooser& chooser) {
  if (given != nullptr) return Choice{given->schedule, "given schedule"};
  if (const auto attribute = op.getSchedule()) return Choice{attribute->getValue(), "schedule"};
  VTA_ASSIGN_OR_RETURN(const kernel::Schedule schedule, chooser.choose(desc));
  return Choice{schedule, chooser.origin()};
}

Result<Program> makeProgram(const kernel::KernelDesc& desc, const kernel::Schedule& schedule,
                            const HwConfig& hw, const kernel::Placement& placement, bool verify) {
  VTA_ASSIGN_OR_RETURN(Program program, kernel::lower(desc, schedule, hw, placement));
  if (verify) VTA_RETURN_IF_ERROR(verifyProgramStatus(program, hw));
  return program;
}

}  // namespace

Result<KernelProgram> lowerKernel(KernelOp op, ScheduleSources schedules,
                                  const kernel::Placement& placement, bool verify) {
  const std::string layer = op.getLayer().str();
  VTA_ASSIGN_OR_RETURN(const kernel::LayerSchedule* given, schedules.given.take(layer));
  const auto lowerUnnamed = [&]() -> Result<KernelProgram> {
    kernel::KernelDesc desc = op.getDesc().getValue();
    desc.name = layer;
    VTA_ASSIGN_OR_RETURN(const Choice choice, chooseSchedule(op, desc, given, schedules.chooser));
    VTA_ASSIGN_OR_RETURN(Program program, makeProgram(desc, choice.schedule, schedules.chooser.hw(),
                                                      placement, verify || given != nullptr));
    return KernelProgram{std::move(program), choice.schedule,
                         fmt::format("{} {}", choice.origin, choice.schedule.toString())};
  };
  auto result = lowerUnnamed();
  if (result.ok()) return result;
  const Status error = result.status().withContext(fmt::format("layer '{}'", layer));
  return given != nullptr && !given->place.empty() ? error.withContext(given->place) : error;
}

}  // namespace vta::compiler
