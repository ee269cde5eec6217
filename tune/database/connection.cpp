#include "tune/database/connection.h"

#include <fmt/format.h>

namespace vta::tune {
namespace {

constexpr int64_t kFormatVersion = 3;

constexpr const char* kSchema = R"(
PRAGMA synchronous = NORMAL;
BEGIN IMMEDIATE;
CREATE TABLE IF NOT EXISTS tasks(
  id INTEGER PRIMARY KEY, workload TEXT NOT NULL, configuration TEXT NOT NULL, memory TEXT NOT NULL,
  name TEXT NOT NULL, hw TEXT NOT NULL, memory_name TEXT NOT NULL,
  UNIQUE(workload, configuration, memory));
CREATE TABLE IF NOT EXISTS trials(
  id INTEGER PRIMARY KEY, task INTEGER NOT NULL REFERENCES tasks, source TEXT NOT NULL,
  compiler TEXT NOT NULL, schedule TEXT NOT NULL, outcome INTEGER NOT NULL, cycles INTEGER NOT NULL,
  seconds REAL NOT NULL, searcher TEXT NOT NULL, seed INTEGER NOT NULL,
  attempts INTEGER NOT NULL DEFAULT 1, is_steady INTEGER NOT NULL DEFAULT 1,
  UNIQUE(task, source, compiler, schedule));
CREATE TABLE IF NOT EXISTS proofs(
  task INTEGER NOT NULL REFERENCES tasks, source TEXT NOT NULL, compiler TEXT NOT NULL,
  floor_cycles INTEGER NOT NULL, PRIMARY KEY(task, source, compiler));
PRAGMA application_id = 1447772500;
PRAGMA user_version = 3;
COMMIT;
)";
constexpr int64_t kApplicationId = 1447772500;  // "VTAT"

Result<int64_t> pragma(const SqlConnection& connection, const char* sql) {
  VTA_ASSIGN_OR_RETURN(SqlStatement statement, connection.prepare(sql));
  VTA_ASSIGN_OR_RETURN(const bool has_row, statement.step());
  return has_row ? statement.integer(0) : 0;
}

}  // namespace

Status Database::Connection::check(Access access) {
  // The tables first: another process may make them, and the numbers with them, between two reads.
  VTA_ASSIGN_OR_RETURN(const int64_t tables, pragma(*sql_, "SELECT count(*) FROM sqlite_master"));
  VTA_ASSIGN_OR_RETURN(const int64_t application, pragma(*sql_, "PRAGMA application_id"));
  VTA_ASSIGN_OR_RETURN(const int64_t version, pragma(*sql_, "PRAGMA user_version"));
  format_ = kFormatVersion;
  if (tables == 0 && access == Access::kWrite) {
    VTA_RETURN_IF_ERROR(sql_->writeAhead());
    return sql_->execute(kSchema);
  }
  if (application != kApplicationId) {
    return invalidArgument(fmt::format("'{}' is no tuning database of vta-tune", file_.string()));
  }
  if (version > kFormatVersion) {
    return invalidArgument(
        fmt::format("tuning database '{}' has format {}, this program knows {} at most: use the "
                    "program that wrote it, or its --export",
                    file_.string(), version, kFormatVersion));
  }
  if (version == kFormatVersion) return {};
  if (access == Access::kWrite) return upgrade();
  format_ = version;
  return {};
}

// From format 1, which has no attempts, and 2, which does not say whether measurements were steady.
Status Database::Connection::upgrade() {
  SqlTransaction transaction(*sql_);
  VTA_RETURN_IF_ERROR(transaction.begin());
  VTA_ASSIGN_OR_RETURN(const int64_t version, pragma(*sql_, "PRAGMA user_version"));
  if (version == kFormatVersion) return {};  // another process was quicker
  if (version < 2) {
    VTA_RETURN_IF_ERROR(
        sql_->execute("ALTER TABLE trials ADD COLUMN attempts INTEGER NOT NULL DEFAULT 1;"));
  }
  VTA_RETURN_IF_ERROR(
      sql_->execute("ALTER TABLE trials ADD COLUMN is_steady INTEGER NOT NULL DEFAULT 1; "
                    "PRAGMA user_version = 3;"));
  return transaction.commit();
}

Result<int64_t> Database::Connection::findTask(const TaskKey& key) {
  VTA_ASSIGN_OR_RETURN(SqlStatement find,
                       sql_->prepare("SELECT id FROM tasks WHERE workload = ?1 AND "
                                     "configuration = ?2 AND memory = ?3"));
  find.bind(1, key.workload).bind(2, key.configuration).bind(3, key.memory);
  VTA_ASSIGN_OR_RETURN(const bool is_there, find.step());
  return is_there ? find.integer(0) : 0;
}

Result<int64_t> Database::Connection::addTask(const StoredTask& task) {
  VTA_ASSIGN_OR_RETURN(SqlStatement add,
                       sql_->prepare("INSERT OR IGNORE INTO tasks(workload, configuration, "
                                     "memory, name, hw, memory_name) VALUES(?1,?2,?3,?4,?5,?6)"));
  add.bind(1, task.key.workload).bind(2, task.key.configuration).bind(3, task.key.memory);
  add.bind(4, task.name).bind(5, task.hw).bind(6, task.memory);
  VTA_RETURN_IF_ERROR(add.run());
  return findTask(task.key);
}

Status Database::Connection::addTrial(int64_t task, const std::string& source,
                                      const std::string& compiler, const TrialRecord& trial) {
  VTA_ASSIGN_OR_RETURN(
      SqlStatement add,
      sql_->prepare("INSERT OR REPLACE INTO trials(task, source, compiler, schedule, outcome, "
                    "cycles, seconds, searcher, seed, attempts, is_steady) "
                    "VALUES(?1,?2,?3,?4,?5,?6,?7,?8,?9,?10,?11)"));
  add.bind(1, task).bind(2, source).bind(3, compiler).bind(4, trial.schedule);
  add.bind(5, static_cast<int64_t>(trial.outcome)).bind(6, static_cast<int64_t>(trial.cycles));
  add.bind(7, trial.seconds).bind(8, trial.searcher).bind(9, static_cast<int64_t>(trial.seed));
  add.bind(10, static_cast<int64_t>(trial.attempts));
  add.bind(11, static_cast<int64_t>(trial.is_steady));
  return add.run();
}

Status Database::Connection::addProof(int64_t task, const std::string& source,
                                      const std::string& compiler, const Proof& proof) {
  VTA_ASSIGN_OR_RETURN(SqlStatement add,
                       sql_->prepare("INSERT INTO proofs(task, source, compiler, floor_cycles) "
                                     "VALUES(?1,?2,?3,?4) ON CONFLICT DO UPDATE SET floor_cycles = "
                                     "max(floor_cycles, excluded.floor_cycles)"));
  add.bind(1, task).bind(2, source).bind(3, compiler);
  add.bind(4, static_cast<int64_t>(proof.floor_cycles));
  return add.run();
}

}  // namespace vta::tune
