// Launcher: starts worker processes somewhere, and knows what has become of them.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/status.h"
#include "explore/workers/channel/channel.h"
#include "explore/workers/config/launcher_config.h"

namespace vta::launcher {

/// One start of a worker. A worker that is lost is started again with the next attempt's number, in
/// a place of its own, so that nothing a lost one still does can be taken for the new one's work.
struct WorkerId {
  int slot = 0;     ///< from 0
  int attempt = 1;  ///< from 1; one more for each worker that was lost in this place
  bool operator==(const WorkerId&) const = default;
};

enum class JobState : uint8_t { kPending, kRunning, kEnded };  ///< What the system says of a job

/// A job's state with its reason.
struct JobStatus {
  JobState state = JobState::kPending;
  std::string detail;  ///< why it waits or has ended, in the words of the system
};

/// A system that starts workers on its machines. One thread uses it at a time, but for beat().
class Launcher {
 public:
  virtual ~Launcher() = default;

  /// "slurm", for messages.
  virtual std::string_view name() const = 0;

  /// Asks for one process for each worker; they may start later. Gives the identifiers of their
  /// jobs. Error: the system refuses, cannot be reached, or answers what makes no sense.
  virtual Result<std::vector<std::string>> submit(std::span<const WorkerId> workers) = 0;

  /// The way to a worker that was submitted.
  virtual Result<std::unique_ptr<Channel>> connect(const WorkerId& worker) = 0;

  /// One status for each job. Error: the system cannot be asked; the jobs may live.
  virtual Result<std::vector<JobStatus>> status(std::span<const std::string> jobs) = 0;

  /// Ends jobs, as far as the system can be reached.
  virtual void cancel(std::span<const std::string> jobs) = 0;

  /// Forgets a worker that is lost: what it still sends is never read, and it ends by itself.
  virtual void forget(const WorkerId& worker) = 0;

  /// The end of what a worker printed, on one line; empty when there is nothing.
  virtual std::string log(const WorkerId& worker) const = 0;

  /// Tells all workers that their farm lives; called about once a second by another thread.
  virtual Status beat() { return {}; }
};

/// The launcher of `config`, which is not local. `worker` is the command that starts a worker, to
/// which the place is added that it talks to: a folder, or "-" for its standard streams. Errors:
/// the spool cannot be written.
Result<std::unique_ptr<Launcher>> makeLauncher(const LauncherConfig& config,
                                               std::vector<std::string> worker);

/// This program's own file.
Result<std::string> ownProgram();

}  // namespace vta::launcher
