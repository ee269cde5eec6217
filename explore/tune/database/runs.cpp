// The runs of a database: which commands began and did not end.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "explore/tune/database/connection.h"

namespace vta::tune {
namespace {

using ArgumentsJson = nlohmann::json;

// Made when the first run begins: databases of older versions are without it.
constexpr const char* kRuns =
    "(id INTEGER PRIMARY KEY, folder TEXT NOT NULL, arguments TEXT NOT NULL, "
    "earlier_trials INTEGER NOT NULL, has_ended INTEGER NOT NULL DEFAULT 0)";

Result<bool> hasRuns(const SqlConnection& sql) {
  VTA_ASSIGN_OR_RETURN(
      SqlStatement find,
      sql.prepare("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'runs'"));
  return find.step();
}

Result<RunRecord> runOf(const SqlStatement& row) {
  RunRecord run = {.id = row.integer(0), .folder = row.text(1), .arguments = {}};
  run.earlier_trials = row.integer(3);
  const ArgumentsJson arguments = ArgumentsJson::parse(row.text(2), nullptr, false);
  if (!arguments.is_array())
    return invalidArgument("the tuning database has a run without command");
  for (const ArgumentsJson& argument : arguments) {
    if (!argument.is_string()) {
      return invalidArgument("the tuning database has a run with an argument that is no text");
    }
    run.arguments.push_back(argument.get<std::string>());
  }
  return run;
}

// Arguments are whatever the shell gave, UTF-8 or not.
std::string argumentsText(std::span<const std::string> arguments) {
  const ArgumentsJson json(std::vector<std::string>(arguments.begin(), arguments.end()));
  return json.dump(-1, ' ', false, ArgumentsJson::error_handler_t::replace);
}

}  // namespace

SqlTable Database::Connection::runsTable() { return {"runs", kRuns}; }

Result<RunRecord> Database::beginRun(const std::string& folder,
                                     std::span<const std::string> arguments) {
  SqlConnection& sql = connection_->sql();
  SqlTransaction transaction(sql);
  VTA_RETURN_IF_ERROR(transaction.begin());
  VTA_RETURN_IF_ERROR(sql.execute(fmt::format("CREATE TABLE IF NOT EXISTS runs{}", kRuns).c_str()));
  const std::string text = argumentsText(arguments);
  VTA_ASSIGN_OR_RETURN(
      SqlStatement add,
      sql.prepare("INSERT INTO runs(folder, arguments, earlier_trials) SELECT ?1, ?2, "
                  "(SELECT coalesce(max(id), 0) FROM trials) WHERE NOT EXISTS (SELECT 1 FROM runs "
                  "WHERE folder = ?1 AND arguments = ?2 AND has_ended = 0)"));
  add.bind(1, folder).bind(2, text);
  VTA_RETURN_IF_ERROR(add.run());
  VTA_ASSIGN_OR_RETURN(SqlStatement find,
                       sql.prepare("SELECT id, folder, arguments, earlier_trials FROM runs WHERE "
                                   "folder = ?1 AND arguments = ?2 AND has_ended = 0"));
  find.bind(1, folder).bind(2, text);
  VTA_ASSIGN_OR_RETURN(const bool is_there, find.step());
  if (!is_there) return internalError("the tuning database did not keep the run");
  VTA_ASSIGN_OR_RETURN(const RunRecord run, runOf(find));
  VTA_RETURN_IF_ERROR(find.run());
  VTA_RETURN_IF_ERROR(transaction.commit());
  return run;
}

Status Database::endRun(const RunRecord& run) {
  VTA_RETURN_IF_ERROR(connection_->checkPlace());
  VTA_ASSIGN_OR_RETURN(SqlStatement end,
                       connection_->sql().prepare("UPDATE runs SET has_ended = 1 WHERE id = ?1"));
  end.bind(1, run.id);
  return end.run();
}

Result<std::optional<RunRecord>> Database::openRun() const {
  const SqlConnection& sql = connection_->sql();
  VTA_ASSIGN_OR_RETURN(const bool has_runs, hasRuns(sql));
  if (!has_runs) return std::optional<RunRecord>();
  VTA_ASSIGN_OR_RETURN(SqlStatement find,
                       sql.prepare("SELECT id, folder, arguments, earlier_trials FROM runs WHERE "
                                   "has_ended = 0 ORDER BY id DESC LIMIT 1"));
  VTA_ASSIGN_OR_RETURN(const bool is_there, find.step());
  if (!is_there) return std::optional<RunRecord>();
  VTA_ASSIGN_OR_RETURN(RunRecord run, runOf(find));
  return std::optional(std::move(run));
}

}  // namespace vta::tune
