#include <fmt/format.h>

#include <filesystem>
#include <system_error>

#include "explore/workers/systems/systems.h"

namespace vta::launcher {

Result<std::string> ownProgram() {
  std::error_code error;
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", error);
  if (!error) return program.string();
  return ioError(fmt::format("cannot find this program's own file: {}", error.message()));
}

Result<std::unique_ptr<Launcher>> makeLauncher(const LauncherConfig& config,
                                               std::vector<std::string> worker) {
  if (config.kind == LauncherKind::kSsh) return makeSshLauncher(config.ssh, std::move(worker));
  VTA_ASSIGN_OR_RETURN(Spool spool, Spool::create(config.spool));
  if (config.kind == LauncherKind::kSlurm) {
    return makeSlurmLauncher(config.slurm, config.processes, std::move(worker), std::move(spool));
  }
  return makeCommandLauncher(config.command, std::move(worker), std::move(spool));
}

}  // namespace vta::launcher
