#include "explore/tune/database/connection.h"

#include <fmt/format.h>

#include <array>
#include <vector>

namespace vta::tune {
namespace {

constexpr int64_t kFormatVersion = 3;

// What trials have since a format. They stand behind `seed`.
struct AddedColumn {
  int64_t format;
  const char* definition;
};
constexpr AddedColumn kAdded[] = {{2, "attempts INTEGER NOT NULL DEFAULT 1"},
                                  {3, "is_steady INTEGER NOT NULL DEFAULT 1"}};

constexpr const char* kTasks =
    "(id INTEGER PRIMARY KEY, workload TEXT NOT NULL, configuration TEXT NOT NULL, memory TEXT NOT "
    "NULL, name TEXT NOT NULL, hw TEXT NOT NULL, memory_name TEXT NOT NULL, "
    "UNIQUE(workload, configuration, memory))";
constexpr const char* kTrials =
    "(id INTEGER PRIMARY KEY, task INTEGER NOT NULL REFERENCES tasks, source TEXT NOT NULL, "
    "compiler TEXT NOT NULL, schedule TEXT NOT NULL, outcome INTEGER NOT NULL, cycles INTEGER NOT "
    "NULL, seconds REAL NOT NULL, searcher TEXT NOT NULL, seed INTEGER NOT NULL{}, "
    "UNIQUE(task, source, compiler, schedule))";
constexpr const char* kProofs =
    "(task INTEGER NOT NULL REFERENCES tasks, source TEXT NOT NULL, compiler TEXT NOT NULL, "
    "floor_cycles INTEGER NOT NULL, PRIMARY KEY(task, source, compiler))";
constexpr int64_t kApplicationId = 1447772500;  // "VTAT"

/// The tables that a database of `format` always has.
std::vector<SqlTable> tablesOf(int64_t format) {
  std::string added;
  for (const AddedColumn& column : kAdded) {
    if (format >= column.format) added += std::string(", ") + column.definition;
  }
  return {{"tasks", kTasks}, {"trials", fmt::format(kTrials, added)}, {"proofs", kProofs}};
}

std::string schemaText() {
  std::string text = "PRAGMA synchronous = NORMAL; BEGIN IMMEDIATE;";
  for (const SqlTable& table : tablesOf(kFormatVersion)) {
    text += fmt::format("CREATE TABLE IF NOT EXISTS {}{};", table.name, table.columns);
  }
  return text + fmt::format("PRAGMA application_id = {}; PRAGMA user_version = {}; COMMIT;",
                            kApplicationId, kFormatVersion);
}

// Numbers that this program writes: SQLite keeps anything in any column.
std::string numberFrom(const char* column, int64_t least, int64_t most) {
  return fmt::format("(typeof({0}) = 'integer' AND {0} BETWEEN {1} AND {2})", column, least, most);
}

Result<int64_t> pragma(const SqlConnection& connection, const char* sql) {
  VTA_ASSIGN_OR_RETURN(SqlStatement statement, connection.prepare(sql));
  VTA_ASSIGN_OR_RETURN(const bool has_row, statement.step());
  return has_row ? statement.integer(0) : 0;
}

}  // namespace

Status Database::Connection::check(Access access) {
  format_ = kFormatVersion;
  describeRows();
  // The tables first: another process may make them, and the numbers with them, between two reads.
  VTA_ASSIGN_OR_RETURN(const int64_t tables, pragma(*sql_, "SELECT count(*) FROM sqlite_master"));
  VTA_ASSIGN_OR_RETURN(const int64_t application, pragma(*sql_, "PRAGMA application_id"));
  VTA_ASSIGN_OR_RETURN(const int64_t version, pragma(*sql_, "PRAGMA user_version"));
  if (tables == 0 && access == Access::kWrite) {
    VTA_RETURN_IF_ERROR(sql_->writeAhead());
    return sql_->execute(schemaText().c_str());
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
  std::vector<SqlTable> known = tablesOf(version);
  known.push_back(runsTable());
  known.push_back(networksTable());
  VTA_RETURN_IF_ERROR(sql_->requireOnly(known));
  VTA_RETURN_IF_ERROR(sql_->checkPages());
  if (version == kFormatVersion) return {};
  if (access == Access::kWrite) return upgrade();
  format_ = version;
  describeRows();
  return {};
}

void Database::Connection::describeRows() {
  constexpr int64_t kMostAttempts = 1'000'000;
  const auto most = static_cast<int64_t>(kMostCycles);
  const auto last = static_cast<int64_t>(Outcome::kTimedOut);
  possible_trial_ =
      fmt::format("({} AND (outcome > {} OR {}) AND typeof(schedule) = 'text' AND {})",
                  numberFrom("outcome", 0, last), static_cast<int64_t>(Outcome::kSlower),
                  numberFrom("cycles", 1, most), numberFrom(attemptsColumn(), 1, kMostAttempts));
  possible_proof_ = numberFrom("floor_cycles", 1, most);
}

Status Database::Connection::checkPlace() const {
  if (!sql_->isAway()) return {};
  return {StatusCode::kNotFound,
          fmt::format("tuning database '{}' was deleted, moved or replaced while it was in use",
                      file_.string())};
}

// From format 1, which has no attempts, and 2, which does not say whether measurements were steady.
Status Database::Connection::upgrade() {
  SqlTransaction transaction(*sql_);
  VTA_RETURN_IF_ERROR(transaction.begin());
  VTA_ASSIGN_OR_RETURN(const int64_t version, pragma(*sql_, "PRAGMA user_version"));
  if (version == kFormatVersion) return {};  // another process was quicker
  std::string changes;
  for (const AddedColumn& column : kAdded) {
    if (version >= column.format) continue;
    changes += fmt::format("ALTER TABLE trials ADD COLUMN {};", column.definition);
  }
  changes += fmt::format("PRAGMA user_version = {};", kFormatVersion);
  VTA_RETURN_IF_ERROR(sql_->execute(changes.c_str()));
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
  // A proof that a trial beats, or that is no number of cycles, is none: it makes room.
  const std::string sql = fmt::format(
      "INSERT INTO proofs(task, source, compiler, floor_cycles) VALUES(?1,?2,?3,?4) ON CONFLICT DO "
      "UPDATE SET floor_cycles = iif({} AND NOT EXISTS(SELECT 1 FROM trials t WHERE t.task = ?1 "
      "AND "
      "t.source = ?2 AND t.compiler = ?3 AND t.outcome = 0 AND {} AND t.cycles < "
      "proofs.floor_cycles), max(floor_cycles, excluded.floor_cycles), excluded.floor_cycles)",
      possible_proof_, possible_trial_);
  VTA_ASSIGN_OR_RETURN(SqlStatement add, sql_->prepare(sql.c_str()));
  add.bind(1, task).bind(2, source).bind(3, compiler);
  add.bind(4, static_cast<int64_t>(proof.floor_cycles));
  return add.run();
}

}  // namespace vta::tune
