#include "tools/common/schedules.h"

#include <map>
#include <memory>
#include <string>
#include <utility>

#include "sim/cycle/program_timer.h"

namespace vta::tools {

void addSchedules(CLI::App& app, ScheduleChoice& choice) {
  const std::map<std::string, ScheduleChoice> names = {{"simulated", ScheduleChoice::kSimulated},
                                                       {"estimated", ScheduleChoice::kEstimated}};
  app.add_option("--schedules", choice,
                 "simulated (default): the best candidates run on the cycle simulator; estimated: "
                 "the analytic model alone, which compiles faster")
      ->transform(CLI::CheckedTransformer(names).description(""))
      ->type_name("NAME");
}

Result<kernel::MeasureProgram> measureProgram(ScheduleChoice choice, const HwConfig& hw) {
  if (choice == ScheduleChoice::kEstimated) return kernel::MeasureProgram();
  VTA_ASSIGN_OR_RETURN(sim::ProgramTimer created, sim::ProgramTimer::create(hw));
  auto timer = std::make_shared<sim::ProgramTimer>(std::move(created));
  return kernel::MeasureProgram([timer](const Program& program) -> Result<uint64_t> {
    VTA_ASSIGN_OR_RETURN(const sim::CycleCounters counters, timer->run(program));
    return counters.cycles;
  });
}

}  // namespace vta::tools
