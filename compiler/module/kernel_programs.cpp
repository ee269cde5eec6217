#include "compiler/module/kernel_programs.h"

#include <fmt/format.h>

#include "compiler/dialects/vta/vta_attributes.h"
#include "compiler/kernel/lower.h"
#include "isa/verifier.h"

namespace vta::compiler {
namespace {

Result<KernelProgram> lowerUnnamed(KernelOp op, const HwConfig& hw,
                                   const kernel::Placement& placement, bool verify) {
  VTA_ASSIGN_OR_RETURN(kernel::KernelDesc desc, kernelDescFromAttr(op.getDesc()));
  desc.name = op.getLayer().str();
  KernelProgram result;
  VTA_ASSIGN_OR_RETURN(const kernel::Schedule default_schedule, kernel::defaultSchedule(desc, hw));
  kernel::Schedule schedule = default_schedule;
  if (const auto attribute = op.getSchedule()) {
    VTA_ASSIGN_OR_RETURN(schedule, scheduleFromAttr(*attribute));
  }
  const char* origin = schedule == default_schedule ? "default schedule" : "schedule";
  result.schedule = fmt::format("{} {}", origin, schedule.toString());
  VTA_ASSIGN_OR_RETURN(result.program, kernel::lower(desc, schedule, hw, placement));
  if (verify) VTA_RETURN_IF_ERROR(verifyProgramStatus(result.program, hw));
  return result;
}

}  // namespace

Result<KernelProgram> lowerKernel(KernelOp op, const HwConfig& hw,
                                  const kernel::Placement& placement, bool verify) {
  auto result = lowerUnnamed(op, hw, placement, verify);
  if (result.ok()) return result;
  return result.status().withContext(fmt::format("layer '{}'", op.getLayer().str()));
}

}  // namespace vta::compiler
