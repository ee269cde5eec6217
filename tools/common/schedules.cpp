#include "tools/common/schedules.h"

#include <fmt/format.h>

#include <memory>
#include <utility>
#include <vector>

#include "compiler/kernel/schedule/schedule_file.h"
#include "sim/cycle/program_timer.h"
#include "tools/common/command_line.h"
#include "tools/common/files.h"

namespace vta::tools {
namespace {

Result<kernel::MeasureProgram> measureOnSimulator(const HwConfig& hw) {
  VTA_ASSIGN_OR_RETURN(sim::ProgramTimer created, sim::ProgramTimer::create(hw));
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
}

Status applySchedules(const ScheduleOptions& options, compiler::CompileOptions& compile_options) {
  const HwConfig& hw = compile_options.hw;
  if (!options.file.empty()) {
    VTA_ASSIGN_OR_RETURN(compile_options.build.schedules, loadSchedules(options.file, hw));
  }
  if (options.is_estimated) return {};
  VTA_ASSIGN_OR_RETURN(compile_options.build.measure_program, measureOnSimulator(hw));
  return {};
}

}  // namespace vta::tools
