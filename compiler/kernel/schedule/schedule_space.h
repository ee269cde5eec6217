// The space of a kernel's schedules, what the cost model ranks best in it, and the default. Pure
// functions without global state: they are deterministic and may run in several threads at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "base/status.h"
#include "compiler/kernel/desc/kernel_desc.h"
#include "compiler/kernel/desc/memory_traits.h"
#include "compiler/kernel/desc/schedule.h"
#include "compiler/kernel/plan/kernel_plan.h"
#include "isa/config/hw_config.h"

namespace vta::kernel {

/// How many schedules did not fit, by the resource that they lacked (PlanFailure::resource).
using RejectionCounts = std::map<std::string, int64_t>;

/// Hears of every legal schedule of the space, in a deterministic order.
using VisitSchedule = std::function<void(const Schedule& schedule, const KernelPlan& plan)>;
/// Adds to `rejected`, if it is not null.
void visitSchedules(const KernelDesc& desc, const HwConfig& hw, const VisitSchedule& visit,
                    RejectionCounts* rejected = nullptr);

/// Every legal schedule of the space, in the same order.
std::vector<Schedule> enumerateSchedules(const KernelDesc& desc, const HwConfig& hw);

/// The `count` schedules that the cost model ranks best, or as many as there are, the best first;
/// none if the kernel is invalid or does not fit `hw`.
std::vector<Schedule> rankedSchedules(const KernelDesc& desc, const HwConfig& hw, size_t count,
                                      const MemoryTraits& memory = {});

/// The analytic default: the schedule the cost model ranks best. Errors only if the kernel cannot
/// run on `hw` at all; the message names the resource.
Result<Schedule> defaultSchedule(const KernelDesc& desc, const HwConfig& hw,
                                 const MemoryTraits& memory = {});

/// Ok when some schedule of the kernel fits `hw`: defaultSchedule's errors at little cost.
Status checkRunnable(const KernelDesc& desc, const HwConfig& hw);

}  // namespace vta::kernel
