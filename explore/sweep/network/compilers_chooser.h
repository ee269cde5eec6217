// How the compiler chooses schedules by itself, for an accelerator with a memory.
#pragma once

#include "base/status.h"
#include "compiler/kernel/schedule/schedule_chooser.h"
#include "isa/config/hw_config.h"
#include "sim/memory/memory_config.h"

namespace vta::sweep {

/// `simulates`: the best candidates run on the cycle simulator; else the analytic model's best is
/// taken. Errors: those of sim::ProgramTimer::create.
Result<kernel::ScheduleChooser> compilersChooser(const HwConfig& hw,
                                                 const sim::MemoryConfig& memory, bool simulates);

}  // namespace vta::sweep
