// The tables of a tuning database.
#pragma once

#include <memory>
#include <string>

#include "tune/database/database.h"
#include "tune/database/sqlite.h"

namespace vta::tune {

class Database::Connection {
 public:
  Connection(std::unique_ptr<SqlConnection> sql, std::string file)
      : sql_(std::move(sql)), file_(std::move(file)) {}

  SqlConnection& sql() { return *sql_; }

  /// Makes the tables where there are none. Errors: those of Database::open.
  Status check(Access access);

  /// The task's number; 0 if it is not there.
  Result<int64_t> findTask(const TaskKey& key);
  /// The same; adds the task if it is not there.
  Result<int64_t> addTask(const StoredTask& task);
  Status addTrial(int64_t task, const std::string& source, const std::string& compiler,
                  const TrialRecord& trial);
  Status addProof(int64_t task, const std::string& source, const std::string& compiler,
                  const Proof& proof);

 private:
  std::unique_ptr<SqlConnection> sql_;
  std::string file_;
};

}  // namespace vta::tune
