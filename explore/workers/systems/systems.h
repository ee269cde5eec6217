// The launchers that there are.
#pragma once

#include "explore/workers/systems/launcher.h"
#include "explore/workers/systems/spool.h"

namespace vta::launcher {

/// Workers are tasks of job arrays, with `processes` processors each.
Result<std::unique_ptr<Launcher>> makeSlurmLauncher(SlurmConfig config, int processes,
                                                    std::vector<std::string> worker, Spool spool);

/// Workers are child processes of ssh, connected through its standard streams.
Result<std::unique_ptr<Launcher>> makeSshLauncher(SshConfig config,
                                                  std::vector<std::string> worker);

/// Workers are started by commands of the user.
Result<std::unique_ptr<Launcher>> makeCommandLauncher(CommandConfig config,
                                                      std::vector<std::string> worker, Spool spool);

/// A command line for the shell.
std::string shellLine(std::span<const std::string> words);

}  // namespace vta::launcher
