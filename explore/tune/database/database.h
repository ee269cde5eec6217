// Database: measured trials and proofs of all tasks, in an SQLite file that several processes may
// use at once.
//
// Trials are added in transactions, so that no finished trial is lost when a process dies. Cycles
// are compared only inside one task, one source and one version of the compiler.
#pragma once

#include <cstdint>
#include <filesystem>

#include <iosfwd>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/status.h"
#include "compiler/kernel/desc/schedule.h"
#include "explore/tune/database/network_record.h"
#include "explore/tune/measure/measurement.h"
#include "explore/tune/task/task_text.h"

namespace vta::tune {

/// Whose cycles are comparable: it changes with everything that changes the cycles of a schedule.
inline constexpr const char* kCompilerVersion = "2";
/// Of the cycles of some schedules with this version. A test compares it with what they take now,
/// so that nobody forgets the version.
inline constexpr uint64_t kCyclesFingerprint = 6238488742080911582u;

struct TrialRecord {
  std::string schedule = {};  // as text: scheduleText, or what another target writes
  Outcome outcome = Outcome::kFailed;
  uint64_t cycles = 0;  // kCycles; kSlower: more than so many
  double seconds = 0;   // since the search of the task began
  std::string searcher = {};
  uint64_t seed = 0;
  int attempts = 1;       // workers that it took: more than one when some were lost
  bool is_steady = true;  // false: the processor's clock changed while it was measured
  int64_t number = 0;     // in its database, in the order in which trials were added; 0: not in one
};

/// A search of one or more tasks by one command.
struct RunRecord {
  int64_t id = 0;
  std::string folder;                  // in which the command was given
  std::vector<std::string> arguments;  // of the command
  int64_t earlier_trials = 0;          // the number of the last trial that is older than the run
};

/// No schedule of the task's space takes fewer than `floor_cycles`.
struct Proof {
  uint64_t floor_cycles = 0;
};

/// One task in one database.
struct StoredTask {
  int64_t id = 0;
  TaskKey key;
  std::string name;    // of its first layer, when it was added first
  std::string hw;      // name of the configuration
  std::string memory;  // name of the memory
};

/// A task of the VTA, to be stored.
StoredTask storedTask(const Task& task);

/// Trials of one task from one source.
struct TaskSummary {
  StoredTask task;
  std::string source;
  int64_t trials = 0;
  int64_t failed = 0;        // neither cycles nor slower
  int64_t lost_workers = 0;  // attempts beyond the first ones
  int64_t unsteady = 0;      // measured while the processor's clock changed
  std::optional<TrialRecord> best;
  std::optional<Proof> proof;
};

class Database {
 public:
  enum class Access : uint8_t { kRead, kWrite };

  /// With kWrite the file is made if it does not exist. Errors name the file: it does not exist or
  /// cannot be read (kNotFound, kIoError), is no file, no tuning database, a damaged one, one of a
  /// newer version or one with more than plain tables, such as triggers (kInvalidArgument), is
  /// locked by another process for more than five seconds (kResourceExhausted).
  static Result<Database> open(const std::filesystem::path& file, Access access);
  /// A database in memory with the lines of JSON of `file`. Errors: the file cannot be read, those
  /// of importJsonLines.
  static Result<Database> readJsonLines(const std::filesystem::path& file);
  ~Database();
  Database(Database&&) noexcept;
  Database& operator=(Database&&) noexcept;

  /// As it was opened.
  const std::filesystem::path& file() const;

  /// Error: the file was deleted, moved or replaced since it was opened. Writing fails then, too;
  /// what was written before can still be read, and exported.
  Status checkPlace() const;
  /// From now on what stands in the place of the file is left alone.
  void abandon();

  /// Adds `trials` at once or not at all. A trial of the same schedule replaces an older one.
  Status addTrials(const StoredTask& task, const std::string& source,
                   std::span<const TrialRecord> trials);
  /// Of two proofs of a task the stronger one stays, if no trial is faster than it says.
  Status setProof(const StoredTask& task, const std::string& source, const Proof& proof);

  /// Of this version of the compiler, in the order in which they were added.
  Result<std::vector<TrialRecord>> trials(const TaskKey& key, const std::string& source) const;
  Result<std::optional<TrialRecord>> best(const TaskKey& key, const std::string& source) const;
  /// The fastest schedules of every task with this workload, on any accelerator and memory, each
  /// schedule once.
  Result<std::vector<std::string>> bestSchedules(const std::string& workload,
                                                 const std::string& source) const;
  Result<std::optional<Proof>> proof(const TaskKey& key, const std::string& source) const;
  /// The tasks that have trials from `source`, in the order in which they were added.
  Result<std::vector<TaskKey>> tasks(const std::string& source) const;
  Result<std::vector<TaskSummary>> summaries() const;

  /// Sentences about rows that cannot be true, such as a trial of 0 cycles. All other functions
  /// leave these rows aside.
  Result<std::vector<std::string>> impossibleRows() const;
  /// Sentences about trials that are not used where those of `sources` by this version of the
  /// compiler are: those of other versions, and, where `sources` have none, those of other sources.
  Result<std::vector<std::string>> otherTrials(std::span<const std::string> sources) const;
  /// What is known of a whole network; a later record replaces an earlier one.
  Status setNetwork(const NetworkKey& key, const std::string& source, const NetworkRecord& record);
  Result<std::optional<NetworkRecord>> network(const NetworkKey& key,
                                               const std::string& source) const;

  /// Notes that a run begins, and returns its number. A run of the same command in the same folder
  /// that never ended is the same run: it goes on.
  Result<RunRecord> beginRun(const std::string& folder, std::span<const std::string> arguments);
  Status endRun(const RunRecord& run);
  /// The youngest run that began and did not end; nothing: all of them did.
  Result<std::optional<RunRecord>> openRun() const;

  /// Which trials an export has.
  enum class Exported : uint8_t { kAll, kBest };
  /// One JSON object a line for each trial and each proof, with its task: all trials, or the
  /// fastest one of each task, source and version of the compiler; and one for each network.
  /// Importing the same lines twice changes nothing. Errors of import name the line; nothing is
  /// imported then.
  Status exportJsonLines(std::ostream& out, Exported trials = Exported::kAll) const;
  Status importJsonLines(std::istream& in);

 private:
  class Connection;
  explicit Database(std::unique_ptr<Connection> connection);
  std::unique_ptr<Connection> connection_;
};

}  // namespace vta::tune
