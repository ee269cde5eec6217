#include "compiler/module/kernel_programs.h"

#include <fmt/format.h>

#include "compiler/dialects/vta/vta_attributes.h"
#include "compiler/kernel/lower.h"
#include "isa/verifier.h"

namespace vta::compiler {
namespace {

Result<KernelProgram> lowerUnnamed(KernelOp op, kernel::ScheduleChooser& schedules,
                                   const kernel::Placement& placement, bool verify) {
  const HwConfig& hw = schedules.hw();
  VTA_ASSIGN_OR_RETURN(kernel::KernelDesc desc, kernelDescFromAttr(op.getDesc()));
  desc.name = op.getLayer().str();
  kernel::Schedule schedule;
  const char* origin = "schedule";
  if (const auto attribute = op.getSchedule()) {
    VTA_ASSIGN_OR_RETURN(schedule, scheduleFromAttr(*attribute));
  } else {
    VTA_ASSIGN_OR_RETURN(schedule, schedules.choose(desc));
    origin = schedules.origin();
  }
  KernelProgram result;
  result.schedule = fmt::format("{} {}", origin, schedule.toString());
  VTA_ASSIGN_OR_RETURN(result.program, kernel::lower(desc, schedule, hw, placement));
  if (verify) VTA_RETURN_IF_ERROR(verifyProgramStatus(result.program, hw));
  return result;
}

}  // namespace

Result<KernelProgram> lowerKernel(KernelOp op, kernel::ScheduleChooser& schedules,
                                  const kernel::Placement& placement, bool verify) {
  auto result = lowerUnnamed(op, schedules, placement, verify);
  if (result.ok()) return result;
  return result.status().withContext(fmt::format("layer '{}'", op.getLayer().str()));
}

}  // namespace vta::compiler
