// A kernel's schedule, searched by one of the tuner's searchers within a budget.
#pragma once

#include <cstdint>
#include <string>

#include "base/status.h"
#include "compiler/kernel/desc/schedule.h"
#include "explore/tune/task/task.h"

namespace vta::sweep {

/// The fastest of at most `trials` schedules that `searcher` proposes for `task`, each of them
/// measured on the cycle simulator with the task's memory. The same for the same arguments. Errors:
/// no such searcher, a kernel without a legal schedule, none of the schedules can be measured.
Result<kernel::Schedule> searchSchedule(const tune::Task& task, const std::string& searcher,
                                        int64_t trials);

}  // namespace vta::sweep
