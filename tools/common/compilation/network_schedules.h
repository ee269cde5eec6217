// Which tuned schedules a whole network takes: kernels are tuned alone, but overlap in a run.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "compiler/kernel/schedule/schedule_chooser.h"
#include "compiler/module/build_options.h"
#include "explore/tune/database/database.h"
#include "isa/config/hw_config.h"
#include "sim/memory/memory_config.h"

namespace vta::tools {

struct NetworkScheduleSetup {
  std::vector<std::shared_ptr<const tune::Database>> databases;
  std::string source;  // whose measurements count
  HwConfig hw;
  sim::MemoryConfig memory;
  kernel::ScheduleHints hints;  // without tuned schedules
  kernel::FindSchedule find;    // the tuned schedule of a kernel by itself
};

/// The schedules that the first database has kept for the network, which vta-tune measured as a
/// whole. For a network that none knows, as many of the tuned schedules as make it faster: it runs
/// on the cycle simulator, a few times, with and without them. So a network never takes more cycles
/// than without tuning. Where that cannot be found out, a warning says why, and each kernel has its
/// tuned schedule.
compiler::FindForNetwork networkSchedules(NetworkScheduleSetup setup);

}  // namespace vta::tools
