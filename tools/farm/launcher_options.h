// --launcher, --launcher-file and --worker: tools whose work goes to other machines.
#pragma once

#include <CLI/CLI.hpp>
#include <atomic>
#include <memory>
#include <string>

#include "explore/workers/config/launcher_config.h"
#include "explore/workers/farm/farm.h"

namespace vta::tools {

struct LauncherOptions {
  std::string launcher = "local";
  std::string launcher_file;  // empty: what the launcher takes by itself
  std::string worker;         // the place of a worker's farm; empty: this is none

  bool isLocal() const { return launcher == "local"; }
};

/// Adds the three options; `tool` is the name of the program.
void addLauncherOptions(CLI::App& app, LauncherOptions& options, const char* tool);

/// What is wrong with them; empty: nothing. `local_workers` is the number of --workers, 0 without.
std::string checkLauncherOptions(const LauncherOptions& options, int local_workers);

/// What --launcher and --launcher-file say. Errors: those of the file.
Result<launcher::LauncherConfig> launcherOf(const LauncherOptions& options);

/// Submits workers of this program and waits for the first one, with a line that says what it waits
/// for. Errors: those of Farm::start, which *stop ends, too.
Result<std::unique_ptr<launcher::Farm>> startFarm(const launcher::LauncherConfig& config,
                                                  launcher::Json setup,
                                                  const std::atomic<bool>* stop);

}  // namespace vta::tools
