// TrialKeeper: puts measured trials into a database that cannot be written all the time, because
// another process has locked it, the disk is full, or the file was deleted.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/status.h"
#include "explore/tune/database/database.h"

namespace vta::tune {

/// How long a search goes on without being able to write its database.
inline constexpr double kDatabaseWaitSeconds = 60;

class TrialKeeper {
 public:
  /// `database`, which may be null, must outlive it.
  explicit TrialKeeper(Database* database, double wait_seconds = kDatabaseWaitSeconds)
      : database_(database), wait_seconds_(wait_seconds) {}

  /// Adds trials. While the database cannot be written they are kept in memory and come with the
  /// next ones. Error: that lasts for longer than the wait, or will not pass. The message says in
  /// which file the trials are that the database lacks.
  Status add(const StoredTask& task, const std::string& source,
             std::span<const TrialRecord> trials);
  /// Returns when all of them are in the database, and its file is where it was. Errors: those of
  /// add().
  Status flush();
  /// The same for a proof, behind all trials.
  Status setProof(const StoredTask& task, const std::string& source, const Proof& proof);

 private:
  struct Batch {
    StoredTask task;
    std::string source;
    std::vector<TrialRecord> trials;
  };

  Status write();
  bool mayPass(const Status& failure);
  Status giveUp(const Status& failure);
  size_t countPending() const;
  std::vector<std::string> writeLines();
  Status rescue(const Status& failure);

  Database* database_;
  double wait_seconds_;
  std::vector<Batch> pending_;
  std::optional<Clock::time_point> failing_since_;
  bool is_rescued_ = false;  // what the database had: it is away, and that is in a file
};

}  // namespace vta::tune
