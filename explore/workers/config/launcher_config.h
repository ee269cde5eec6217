// LauncherConfig: where workers are started and how, read from YAML and validated once.
#pragma once

#include <chrono>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "explore/workers/config/command_template.h"

namespace vta::launcher {

/// Which system starts the workers.
enum class LauncherKind : uint8_t { kLocal, kSlurm, kSsh, kCommand };

/// "local", "slurm", "ssh", "command".
std::string_view launcherName(LauncherKind kind);
/// All kinds, for messages.
std::vector<std::string> launcherNames();
/// Error: an unknown name, with the known ones.
Result<LauncherKind> launcherKind(std::string_view name);

/// Empty texts and zeros leave the choice to Slurm.
struct SlurmConfig {
  std::string partition;             ///< of the cluster
  std::string time_limit;            ///< of each worker, as sbatch --time takes it
  std::string licenses;              ///< of each worker: "board:1"
  std::vector<std::string> nodes;    ///< that workers may be started on
  int memory_mb = 0;                 ///< of each worker
  std::vector<std::string> options;  ///< more options of sbatch
};

/// Workers of machines that are reached through a remote shell.
struct SshConfig {
  std::vector<std::string> hosts;  ///< workers are spread over them
  CommandTemplate command;         ///< {host}, {command}
};

/// Workers of any other system, by three commands that people write; each runs in a shell.
struct CommandConfig {
  CommandTemplate submit;  ///< {command}, {name}, {log}; prints the job's identifier
  CommandTemplate status;  ///< {job}; prints a word
  CommandTemplate cancel;  ///< {job}
  /// Words of `status`. Any other word, and none, means that the job has ended.
  std::vector<std::string> pending;
  std::vector<std::string> running;  ///< words of a job that has begun
};

/// A launcher's file; the part of each kind is only read for that kind.
struct LauncherConfig {
  /// Which of `slurm`, `ssh` and `command` counts; local has no part.
  LauncherKind kind = LauncherKind::kLocal;
  int workers = 0;    ///< 0: as many as processors for local, 2 for others
  int processes = 1;  ///< that work side by side in each worker
  int batch = 0;      ///< trials that a worker gets at once; 0: depends on how many there are
  int attempts = 3;   ///< after which a trial that loses its worker each time is given up
  std::chrono::seconds lost_after{15};      ///< a worker that is silent for so long is lost
  std::chrono::seconds start_within{3600};  ///< for the first worker
  std::string program;                      ///< of workers; empty: this program's own file
  std::filesystem::path spool = ".";  ///< existing folder that all machines see (slurm, command)
  SlurmConfig slurm;
  SshConfig ssh;
  CommandConfig command;
};

/// What `kind` takes without a file. Error: it needs one, because there is something to say that
/// nobody can guess.
Result<LauncherConfig> defaultLauncherConfig(LauncherKind kind);

/// Reads the YAML text of a launcher's file for `kind`. Errors begin with "source:line:column":
/// unknown or missing keys, values out of their range, bad templates, a file for another launcher.
Result<LauncherConfig> parseLauncherConfig(std::string_view text, std::string_view source,
                                           LauncherKind kind);
/// The same from a file. Errors: also those of readTextFile.
Result<LauncherConfig> loadLauncherConfig(const std::filesystem::path& file, LauncherKind kind);

}  // namespace vta::launcher
