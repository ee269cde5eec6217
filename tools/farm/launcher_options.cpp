#include "tools/farm/launcher_options.h"

#include <fmt/format.h>

#include <utility>

#include "tools/common/main/stop_flag.h"
#include "tools/common/names/choices.h"
#include "tools/common/progress/progress_line.h"
#include "tools/common/terminal.h"

namespace vta::tools {

void addLauncherOptions(CLI::App& app, LauncherOptions& options, const char* tool) {
  app.add_option("--launcher", options.launcher,
                 "Where workers are started: local, slurm, ssh, or command")
      ->type_name("NAME")
      ->check(Offered(launcher::launcherNames))
      ->capture_default_str();
  app.add_option(
         "--launcher-file", options.launcher_file,
         "How many workers, on which machines, and how; docs/launchers.md describes the file")
      ->type_name("FILE");
  app.add_option("--worker", options.worker,
                 fmt::format("Be a worker of another {}: launchers start it so. PLACE is a folder "
                             "of its spool, or - for standard input and output",
                             tool))
      ->type_name("PLACE");
}

std::string checkLauncherOptions(const LauncherOptions& options, int local_workers) {
  const auto kind = launcher::launcherKind(options.launcher);
  if (!kind.ok()) return "--launcher: " + kind.status().message();
  if (options.launcher_file.empty()) {
    const auto config = launcher::defaultLauncherConfig(*kind);
    if (!config.ok()) return "--launcher: " + config.status().message() + ": give --launcher-file";
  }
  if (!options.isLocal() && local_workers > 0) {
    return "--workers counts local processes; the file of --launcher-file says how many workers "
           "there are elsewhere";
  }
  return "";
}

Result<launcher::LauncherConfig> launcherOf(const LauncherOptions& options) {
  VTA_ASSIGN_OR_RETURN(const launcher::LauncherKind kind, launcher::launcherKind(options.launcher));
  if (options.launcher_file.empty()) return launcher::defaultLauncherConfig(kind);
  return launcher::loadLauncherConfig(options.launcher_file, kind);
}

Result<std::unique_ptr<launcher::Farm>> startFarm(const launcher::LauncherConfig& config,
                                                  launcher::Json setup,
                                                  const std::atomic<bool>* stop) {
  std::string program = config.program;
  if (program.empty()) {
    VTA_ASSIGN_OR_RETURN(program, launcher::ownProgram());
  }
  VTA_ASSIGN_OR_RETURN(auto its_launcher, launcher::makeLauncher(config, {program, "--worker"}));
  launcher::FarmOptions options = launcher::farmOptions(config);
  options.setup = std::move(setup);
  options.stop = stop;
  ProgressLine line;
  auto farm =
      launcher::Farm::start(std::move(its_launcher), std::move(options),
                            [&line](const std::string& state) { line.update(state, 0, 0); });
  if (farm.ok() || stop == nullptr || !*stop) return farm;
  return Status(StatusCode::kDeadlineExceeded,
                fmt::format("stopped by {}: no worker had started", stopSignalName()));
}

}  // namespace vta::tools
