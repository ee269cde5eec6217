// The tables of a tuning database.
#pragma once

#include <functional>
#include <iosfwd>
#include <memory>
#include <string>

#include "explore/tune/database/database.h"
#include "explore/tune/database/network_text.h"
#include "explore/tune/database/sqlite.h"

namespace vta::tune {

class Database::Connection {
 public:
  Connection(std::unique_ptr<SqlConnection> sql, std::filesystem::path file)
      : sql_(std::move(sql)), file_(std::move(file)) {}

  SqlConnection& sql() { return *sql_; }
  const std::filesystem::path& file() const { return file_; }

  /// The columns of a trial's attempts and steadiness: what stands for them in a file of an older
  /// format, which lacks them and is only read.
  const char* attemptsColumn() const { return format_ >= 2 ? "attempts" : "1"; }
  const char* steadyColumn() const { return format_ >= 3 ? "is_steady" : "1"; }

  /// Makes the tables where there are none. Errors: those of Database::open.
  Status check(Access access);
  /// Error: the file was deleted, moved or replaced. What is written would be lost then.
  Status checkPlace() const;

  /// The condition that a row of `trials`, or of `proofs`, can be true. Every query has it.
  const std::string& possibleTrial() const { return possible_trial_; }
  const std::string& possibleProof() const { return possible_proof_; }

  /// The task's number; 0 if it is not there.
  Result<int64_t> findTask(const TaskKey& key);
  /// The same; adds the task if it is not there.
  Result<int64_t> addTask(const StoredTask& task);
  Status addTrial(int64_t task, const std::string& source, const std::string& compiler,
                  const TrialRecord& trial);
  Status addNetwork(const NetworkKey& key, const std::string& source, const std::string& compiler,
                    const NetworkRecord& record);
  /// Shows each network, in an order that does not depend on when it was stored. An error stands
  /// for a row that cannot be true.
  Status forEachNetwork(const std::function<void(const Result<NetworkLine>&)>& visit) const;
  /// A line of JSON for each network that can be true.
  Status exportNetworks(std::ostream& out) const;
  Status addProof(int64_t task, const std::string& source, const std::string& compiler,
                  const Proof& proof);

 private:
  /// The tables of runs (runs.cpp) and of networks (networks.cpp), which a database may be without.
  static SqlTable runsTable();
  static SqlTable networksTable();
  Status upgrade();
  void describeRows();

  std::unique_ptr<SqlConnection> sql_;
  std::filesystem::path file_;
  int64_t format_ = 0;  // of the file
  std::string possible_trial_;
  std::string possible_proof_;
};

}  // namespace vta::tune
