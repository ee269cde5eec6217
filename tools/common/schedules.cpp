#include "tools/common/schedules.h"

#include <fmt/format.h>

#include <memory>
#include <utility>
#include <vector>

#include "compiler/kernel/schedule/schedule_file.h"
#include "sim/cycle/program_timer.h"
#include "sim/memory/memory_config.h"
#include "tools/common/command_line.h"
#include "tools/common/files.h"
#include "tune/database/database.h"
#include "tune/measure/measurement.h"
#include "tune/task/task.h"

namespace vta::tools {
namespace {

Result<kernel::MeasureProgram> measureOnSimulator(const HwConfig& hw,
                                                  const sim::MemoryConfig& memory) {
  VTA_ASSIGN_OR_RETURN(sim::ProgramTimer created, sim::ProgramTimer::create(hw, memory));
  auto timer = std::make_shared<sim::ProgramTimer>(std::move(created));
  return kernel::MeasureProgram(
      [timer](const Program& program, uint64_t most) { return timer->cyclesUpTo(program, most); });
}

Result<std::vector<kernel::LayerSchedule>> loadSchedules(const std::string& file,
                                                         const HwConfig& hw) {
  const auto bytes = readFile(file);
  if (!bytes.ok()) {
    return bytes.status().withContext("--schedules takes estimated, simulated or a file");
  }
  return kernel::parseSchedules({reinterpret_cast<const char*>(bytes->data()), bytes->size()}, file,
                                hw);
}

// The fastest schedules of a database, which stays open as long as somebody asks.
Result<kernel::FindSchedule> tunedSchedules(const ScheduleOptions& options, const HwConfig& hw,
                                            const sim::MemoryConfig& memory) {
  auto opened = tune::Database::open(options.tuned_file, tune::Database::Access::kRead);
  if (!opened.ok()) return opened.status().withContext("--tuned");
  const auto database = std::make_shared<tune::Database>(*std::move(opened));
  const std::string source =
      options.tuned_source.empty() ? tune::kSimulatorSource : options.tuned_source;
  return kernel::FindSchedule(
      [database, source, hw,
       memory](const kernel::KernelDesc& desc) -> std::optional<kernel::ChosenSchedule> {
        const tune::TaskKey key = tune::keyOf({desc, hw, memory, {}});
        const auto best = database->best(key, source);
        if (!best.ok() || !*best) return std::nullopt;
        const auto proof = database->proof(key, source);
        const bool is_optimum = proof.ok() && *proof && (*proof)->floor_cycles >= (*best)->cycles;
        return kernel::ChosenSchedule{(*best)->schedule,
                                      is_optimum ? "proven schedule" : "tuned schedule"};
      });
}

}  // namespace

void addSchedules(CLI::App& app, ScheduleOptions& options) {
  const auto take = [&options](const std::vector<std::string>& values) {
    options.is_given = true;
    for (const std::string& value : values) {
      if (value == "estimated" || value == "simulated") {
        options.is_estimated = value == "estimated";
      } else if (options.file.empty()) {
        options.file = value;
      } else {
        throw CLI::ValidationError("--schedules", "one file at most");
      }
    }
  };
  CLI::Option* option = app.add_option_function<std::vector<std::string>>(
      "--schedules", take,
      "simulated (default): the best candidates run on the cycle simulator; estimated: the "
      "analytic model alone, which compiles faster; or a file from vta-compile "
      "--write-schedules, whose layers take theirs from it. A name and a file may both be given");
  option->type_name("NAME|FILE");
  makeRepeatable(*option);
  app.add_option(
         "--tuned", options.tuned_file,
         "Take the fastest schedules of a database that vta-tune wrote, for the layers that "
         "it has for this accelerator and memory")
      ->type_name("FILE");
  app.add_option("--tuned-on", options.tuned_source,
                 "Whose measurements of --tuned count, as 'vta-tune --show' names them; default: "
                 "cycle simulator")
      ->type_name("SOURCE");
}

Status applySchedules(const ScheduleOptions& options, compiler::CompileOptions& compile_options) {
  const HwConfig& hw = compile_options.hw;
  if (!options.file.empty()) {
    VTA_ASSIGN_OR_RETURN(compile_options.build.schedules, loadSchedules(options.file, hw));
  }
  sim::MemoryConfig memory;
  if (!options.memory.empty()) {
    auto resolved = sim::resolveMemoryConfig(options.memory);
    if (!resolved.ok()) return resolved.status().withContext("--dram");
    memory = *std::move(resolved);
  }
  kernel::ScheduleHints& hints = compile_options.build.schedule_hints;
  hints.memory = tune::memoryTraits(memory, hw);
  if (options.tuned_file.empty() && !options.tuned_source.empty()) {
    return invalidArgument("--tuned-on needs --tuned");
  }
  if (!options.tuned_file.empty()) {
    VTA_ASSIGN_OR_RETURN(hints.find, tunedSchedules(options, hw, memory));
  }
  if (options.is_estimated) return {};
  VTA_ASSIGN_OR_RETURN(hints.measure, measureOnSimulator(hw, memory));
  return {};
}

}  // namespace vta::tools
