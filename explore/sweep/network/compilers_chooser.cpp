#include "explore/sweep/network/compilers_chooser.h"

#include <memory>
#include <utility>

#include "explore/tune/task/task.h"
#include "sim/cycle/program_timer.h"

namespace vta::sweep {

Result<kernel::ScheduleChooser> compilersChooser(const HwConfig& hw,
                                                 const sim::MemoryConfig& memory, bool simulates) {
  kernel::ScheduleHints hints;
  hints.memory = tune::memoryTraits(memory, hw);
  if (simulates) {
    VTA_ASSIGN_OR_RETURN(sim::ProgramTimer created, sim::ProgramTimer::create(hw, memory));
    auto timer = std::make_shared<sim::ProgramTimer>(std::move(created));
    hints.measure = [timer](const Program& program, uint64_t most) {
      return timer->cyclesUpTo(program, most);
    };
  }
  return kernel::ScheduleChooser(hw, std::move(hints));
}

}  // namespace vta::sweep
