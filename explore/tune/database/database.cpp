#include "explore/tune/database/database.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "explore/tune/database/connection.h"

namespace vta::tune {
namespace {

const SqlFileKind kKind = {"tuning database", "'sqlite3 FILE .recover' may save a part of it"};

std::string trialColumns(const char* attempts, const char* is_steady) {
  return fmt::format("schedule, outcome, cycles, seconds, searcher, seed, {}, {}, id", attempts,
                     is_steady);
}

TrialRecord trialOf(const SqlStatement& row, int first) {
  TrialRecord trial;
  trial.schedule = row.text(first);
  trial.outcome = static_cast<Outcome>(row.integer(first + 1));
  trial.cycles = static_cast<uint64_t>(row.integer(first + 2));
  trial.seconds = row.real(first + 3);
  trial.searcher = row.text(first + 4);
  trial.seed = static_cast<uint64_t>(row.integer(first + 5));
  trial.attempts = static_cast<int>(row.integer(first + 6));
  trial.is_steady = row.integer(first + 7) != 0;
  trial.number = row.integer(first + 8);
  return trial;
}

}  // namespace

Database::Database(std::unique_ptr<Connection> connection) : connection_(std::move(connection)) {}
Database::~Database() = default;
Database::Database(Database&&) noexcept = default;
Database& Database::operator=(Database&&) noexcept = default;

Result<Database> Database::open(const std::filesystem::path& file, Access access) {
  const int flags =
      access == Access::kRead ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
  VTA_ASSIGN_OR_RETURN(std::unique_ptr<SqlConnection> sql, SqlConnection::open(file, flags, kKind));
  auto connection = std::make_unique<Connection>(std::move(sql), file);
  VTA_RETURN_IF_ERROR(connection->check(access));
  return Database(std::move(connection));
}

const std::filesystem::path& Database::file() const { return connection_->file(); }

Status Database::checkPlace() const { return connection_->checkPlace(); }

void Database::abandon() { connection_->sql().abandon(); }

StoredTask storedTask(const Task& task) {
  return {0, keyOf(task), task.desc.name, task.hw.name(), task.memory.name};
}

Status Database::addTrials(const StoredTask& task, const std::string& source,
                           std::span<const TrialRecord> trials) {
  VTA_RETURN_IF_ERROR(connection_->checkPlace());
  SqlTransaction transaction(connection_->sql());
  VTA_RETURN_IF_ERROR(transaction.begin());
  VTA_ASSIGN_OR_RETURN(const int64_t id, connection_->addTask(task));
  for (const TrialRecord& trial : trials) {
    VTA_RETURN_IF_ERROR(connection_->addTrial(id, source, kCompilerVersion, trial));
  }
  return transaction.commit();
}

Status Database::setProof(const StoredTask& task, const std::string& source, const Proof& proof) {
  VTA_RETURN_IF_ERROR(connection_->checkPlace());
  SqlTransaction transaction(connection_->sql());
  VTA_RETURN_IF_ERROR(transaction.begin());
  VTA_ASSIGN_OR_RETURN(const int64_t id, connection_->addTask(task));
  VTA_RETURN_IF_ERROR(connection_->addProof(id, source, kCompilerVersion, proof));
  return transaction.commit();
}

Result<std::vector<TrialRecord>> Database::trials(const TaskKey& key,
                                                  const std::string& source) const {
  VTA_ASSIGN_OR_RETURN(const int64_t id, connection_->findTask(key));
  const std::string sql = fmt::format(
      "SELECT {} FROM trials WHERE task = ?1 AND source = ?2 AND compiler = ?3 AND {} ORDER BY id",
      trialColumns(connection_->attemptsColumn(), connection_->steadyColumn()),
      connection_->possibleTrial());
  VTA_ASSIGN_OR_RETURN(SqlStatement rows, connection_->sql().prepare(sql.c_str()));
  rows.bind(1, id).bind(2, source).bind(3, kCompilerVersion);
  std::vector<TrialRecord> trials;
  for (;;) {
    VTA_ASSIGN_OR_RETURN(const bool has_row, rows.step());
    if (!has_row) return trials;
    trials.push_back(trialOf(rows, 0));
  }
}

Result<std::optional<TrialRecord>> Database::best(const TaskKey& key,
                                                  const std::string& source) const {
  VTA_ASSIGN_OR_RETURN(const int64_t id, connection_->findTask(key));
  const std::string sql = fmt::format(
      "SELECT {} FROM trials WHERE task = ?1 AND source = ?2 AND compiler = ?3 AND "
      "outcome = 0 AND {} ORDER BY cycles, id LIMIT 1",
      trialColumns(connection_->attemptsColumn(), connection_->steadyColumn()),
      connection_->possibleTrial());
  VTA_ASSIGN_OR_RETURN(SqlStatement rows, connection_->sql().prepare(sql.c_str()));
  rows.bind(1, id).bind(2, source).bind(3, kCompilerVersion);
  VTA_ASSIGN_OR_RETURN(const bool has_row, rows.step());
  if (!has_row) return std::optional<TrialRecord>();
  return std::optional(trialOf(rows, 0));
}

Result<std::vector<std::string>> Database::bestSchedules(const std::string& workload,
                                                         const std::string& source) const {
  VTA_ASSIGN_OR_RETURN(SqlStatement find,
                       connection_->sql().prepare("SELECT configuration, memory FROM tasks WHERE "
                                                  "workload = ?1 ORDER BY id"));
  find.bind(1, workload);
  std::vector<std::string> schedules;
  for (;;) {
    VTA_ASSIGN_OR_RETURN(const bool has_row, find.step());
    if (!has_row) return schedules;
    VTA_ASSIGN_OR_RETURN(const auto fastest, best({workload, find.text(0), find.text(1)}, source));
    if (!fastest || std::ranges::find(schedules, fastest->schedule) != schedules.end()) continue;
    schedules.push_back(fastest->schedule);
  }
}

Result<std::optional<Proof>> Database::proof(const TaskKey& key, const std::string& source) const {
  VTA_ASSIGN_OR_RETURN(const int64_t id, connection_->findTask(key));
  const std::string sql = fmt::format(
      "SELECT floor_cycles FROM proofs WHERE task = ?1 AND source = ?2 AND compiler = ?3 AND {}",
      connection_->possibleProof());
  VTA_ASSIGN_OR_RETURN(SqlStatement rows, connection_->sql().prepare(sql.c_str()));
  rows.bind(1, id).bind(2, source).bind(3, kCompilerVersion);
  VTA_ASSIGN_OR_RETURN(const bool has_row, rows.step());
  if (!has_row) return std::optional<Proof>();
  return std::optional(Proof{static_cast<uint64_t>(rows.integer(0))});
}

Result<std::vector<TaskKey>> Database::tasks(const std::string& source) const {
  const std::string sql = fmt::format(
      "SELECT t.workload, t.configuration, t.memory FROM tasks t WHERE EXISTS (SELECT 1 FROM "
      "trials r WHERE r.task = t.id AND r.source = ?1 AND r.compiler = ?2 AND {}) ORDER BY t.id",
      connection_->possibleTrial());
  VTA_ASSIGN_OR_RETURN(SqlStatement rows, connection_->sql().prepare(sql.c_str()));
  rows.bind(1, source).bind(2, kCompilerVersion);
  std::vector<TaskKey> keys;
  for (;;) {
    VTA_ASSIGN_OR_RETURN(const bool has_row, rows.step());
    if (!has_row) return keys;
    keys.push_back({rows.text(0), rows.text(1), rows.text(2)});
  }
}

Result<std::vector<TaskSummary>> Database::summaries() const {
  const std::string sql = fmt::format(
      "SELECT t.id, t.workload, t.configuration, t.memory, t.name, t.hw, t.memory_name, "
      "r.source, count(*), sum(r.outcome > 1), sum({} - 1), sum(NOT {}) FROM tasks t JOIN trials r "
      "ON r.task = t.id WHERE r.compiler = ?1 AND {} GROUP BY t.id, r.source ORDER BY t.id, "
      "r.source",
      connection_->attemptsColumn(), connection_->steadyColumn(), connection_->possibleTrial());
  VTA_ASSIGN_OR_RETURN(SqlStatement rows, connection_->sql().prepare(sql.c_str()));
  rows.bind(1, kCompilerVersion);
  std::vector<TaskSummary> summaries;
  for (;;) {
    VTA_ASSIGN_OR_RETURN(const bool has_row, rows.step());
    if (!has_row) break;
    TaskSummary& summary = summaries.emplace_back();
    summary.task = {rows.integer(0),
                    {rows.text(1), rows.text(2), rows.text(3)},
                    rows.text(4),
                    rows.text(5),
                    rows.text(6)};
    summary.source = rows.text(7);
    summary.trials = rows.integer(8);
    summary.failed = rows.integer(9);
    summary.lost_workers = rows.integer(10);
    summary.unsteady = rows.integer(11);
  }
  for (TaskSummary& summary : summaries) {
    VTA_ASSIGN_OR_RETURN(summary.best, best(summary.task.key, summary.source));
    VTA_ASSIGN_OR_RETURN(summary.proof, proof(summary.task.key, summary.source));
  }
  return summaries;
}

}  // namespace vta::tune
