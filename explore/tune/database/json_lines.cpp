// Tuning databases as lines of JSON: one object for each trial and each proof, with its task.
#include <fmt/format.h>

#include <fstream>
#include <istream>
#include <map>
#include <nlohmann/json.hpp>
#include <ostream>
#include <utility>

#include "base/files.h"
#include "base/text/json_reason.h"
#include "explore/tune/database/connection.h"
#include "explore/tune/database/network_text.h"
#include "explore/tune/task/conv_task.h"
#include "explore/tune/task/gemm_task.h"

namespace vta::tune {
namespace {

using Json = nlohmann::ordered_json;

// With places for the columns of attempts and steadiness, and for a condition.
constexpr const char* kExport =
    "SELECT t.workload, t.configuration, t.memory, t.name, t.hw, t.memory_name, r.source, "
    "r.compiler, r.schedule, r.outcome, r.cycles, r.seconds, r.searcher, r.seed, {}, {} "
    "FROM trials r JOIN tasks t ON t.id = r.task WHERE {}{} ORDER BY r.id";
constexpr const char* kFastest =
    " AND r.outcome = 0 AND NOT EXISTS (SELECT 1 FROM trials o WHERE o.task = r.task AND "
    "o.source = r.source AND o.compiler = r.compiler AND o.outcome = 0 AND {} AND "
    "(o.cycles < r.cycles OR (o.cycles = r.cycles AND o.id < r.id)))";
constexpr const char* kExportProofs =
    "SELECT t.workload, t.configuration, t.memory, t.name, t.hw, t.memory_name, p.source, "
    "p.compiler, p.floor_cycles FROM proofs p JOIN tasks t ON t.id = p.task WHERE {} ORDER BY "
    "p.task";

Json taskToJson(const SqlStatement& row) {
  return {{"workload", Json::parse(row.text(0))},
          {"configuration", row.text(1)},
          {"memory", Json::parse(row.text(2))},
          {"name", row.text(3)},
          {"hw", row.text(4)},
          {"memory_name", row.text(5)},
          {"source", row.text(6)},
          {"compiler", row.text(7)}};
}

Json trialToJson(const SqlStatement& row) {
  Json json = taskToJson(row);
  json["schedule"] = Json::parse(row.text(8));
  json["outcome"] = outcomeName(static_cast<Outcome>(row.integer(9)));
  json["cycles"] = row.integer(10);
  json["seconds"] = row.real(11);
  json["searcher"] = row.text(12);
  json["seed"] = row.integer(13);
  if (row.integer(14) > 1) json["attempts"] = row.integer(14);
  if (row.integer(15) == 0) json["is_steady"] = false;
  return json;
}

Json proofToJson(const SqlStatement& row) {
  Json json = taskToJson(row);
  json["floor_cycles"] = row.integer(8);
  return json;
}

/// One line for each row of a query.
Status writeLines(const SqlConnection& sql, const std::string& query,
                  Json (*to_json)(const SqlStatement& row), std::ostream& out) {
  VTA_ASSIGN_OR_RETURN(SqlStatement rows, sql.prepare(query.c_str()));
  for (;;) {
    VTA_ASSIGN_OR_RETURN(const bool has_row, rows.step());
    if (!has_row) return {};
    try {
      out << to_json(rows).dump(-1, ' ', false, Json::error_handler_t::replace) << '\n';
    } catch (const nlohmann::json::exception&) {
      return invalidArgument(fmt::format(
          "the tuning database has a row of the layer '{}' whose texts are no JSON: its trials "
          "cannot be exported",
          rows.text(3)));
    }
  }
}

Result<Outcome> outcomeOf(const std::string& name) {
  for (const Outcome outcome : {Outcome::kCycles, Outcome::kSlower, Outcome::kFailed,
                                Outcome::kCrashed, Outcome::kTimedOut}) {
    if (outcomeName(outcome) == name) return outcome;
  }
  return invalidArgument(fmt::format("'{}' is no outcome of a trial", name));
}

/// A whole number of a line, which JSON would turn into another one without a word.
Result<int64_t> wholeNumber(const Json& json, const char* key, int64_t least, int64_t most) {
  const Json& value = json.at(key);
  if (value.is_number_integer() && value <= most && value >= least) return value.get<int64_t>();
  return invalidArgument(fmt::format("{} is {}; legal: {} to {}", key, value.dump(), least, most));
}

/// One line of the file.
struct Line {
  StoredTask task;
  std::string source;
  std::string compiler;
  std::optional<TrialRecord> trial;
  std::optional<Proof> proof;
};

/// A schedule of a task with this workload, as this version writes it.
Result<std::string> checkedSchedule(const std::string& workload, const std::string& text) {
  if (isConvWorkload(workload)) {
    VTA_ASSIGN_OR_RETURN(const ConvSchedule parsed, parseConvSchedule(text));
    return convScheduleText(parsed);
  }
  if (isGemmWorkload(workload)) {
    VTA_ASSIGN_OR_RETURN(const GemmSchedule parsed, parseGemmSchedule(text));
    return gemmScheduleText(parsed);
  }
  VTA_ASSIGN_OR_RETURN(const kernel::Schedule parsed, parseSchedule(text));
  return scheduleText(parsed);
}

Result<TrialRecord> trialOf(const Json& json, const std::string& workload) {
  TrialRecord trial;
  VTA_ASSIGN_OR_RETURN(trial.schedule, checkedSchedule(workload, json.at("schedule").dump()));
  VTA_ASSIGN_OR_RETURN(trial.outcome, outcomeOf(json.at("outcome")));
  const bool has_cycles = trial.outcome == Outcome::kCycles || trial.outcome == Outcome::kSlower;
  VTA_ASSIGN_OR_RETURN(const int64_t cycles,
                       wholeNumber(json, "cycles", has_cycles ? 1 : 0, int64_t{kMostCycles}));
  trial.cycles = static_cast<uint64_t>(cycles);
  trial.seconds = json.at("seconds");
  trial.searcher = json.at("searcher");
  trial.seed = json.at("seed");
  if (json.contains("attempts")) {
    VTA_ASSIGN_OR_RETURN(const int64_t attempts, wholeNumber(json, "attempts", 1, 1'000'000));
    trial.attempts = static_cast<int>(attempts);
  }
  trial.is_steady = json.value("is_steady", true);
  return trial;
}

/// Checks the keys of lines, and writes them as this version does: files of older versions lack
/// parameters that have come since, which then have their defaults. Most lines of a file are about
/// few accelerators, whose long texts are parsed once.
class KeyChecker {
 public:
  Status check(TaskKey& key) {
    if (isConvWorkload(key.workload)) return parseConvWorkload(key.workload).status();
    if (isGemmWorkload(key.workload)) {
      VTA_RETURN_IF_ERROR(parseGpuLimits(key.memory).status());
      return parseGemmWorkload(key.workload).status();
    }
    VTA_ASSIGN_OR_RETURN(const kernel::KernelDesc desc, parseWorkload(key.workload));
    auto known = known_.find({key.configuration, key.memory});
    if (known == known_.end()) {
      VTA_ASSIGN_OR_RETURN(Timing timing, parseTiming({key.configuration, key.memory}));
      TimingKey current = keyOf(timing);
      known = known_
                  .emplace(std::pair(key.configuration, key.memory),
                           Known{std::move(timing.hw), std::move(current)})
                  .first;
    }
    key.configuration = known->second.key.configuration;
    key.memory = known->second.key.memory;
    return kernel::validateKernelDesc(desc, known->second.hw);
  }

 private:
  struct Known {
    HwConfig hw;
    TimingKey key;
  };
  std::map<std::pair<std::string, std::string>, Known> known_;
};

Result<Line> parseLine(const std::string& text, KeyChecker& keys) {
  try {
    const Json json = Json::parse(text);
    Line line;
    line.task = {0,
                 {json.at("workload").dump(), json.at("configuration"), json.at("memory").dump()},
                 json.at("name"),
                 json.at("hw"),
                 json.at("memory_name")};
    VTA_RETURN_IF_ERROR(keys.check(line.task.key));
    line.source = json.at("source");
    line.compiler = json.at("compiler");
    if (json.contains("floor_cycles")) {
      VTA_ASSIGN_OR_RETURN(const int64_t floor,
                           wholeNumber(json, "floor_cycles", 1, int64_t{kMostCycles}));
      line.proof = Proof{static_cast<uint64_t>(floor)};
    } else {
      VTA_ASSIGN_OR_RETURN(line.trial, trialOf(json, line.task.key.workload));
    }
    return line;
  } catch (const nlohmann::json::exception& error) {
    return invalidArgument(
        fmt::format("this is no line of a tuning database: {}", jsonReason(error.what())));
  }
}

/// A network whose key is as this version writes it, and whose kernels its accelerator can run.
Result<NetworkLine> parseNetwork(const std::string& text, KeyChecker& keys) {
  VTA_ASSIGN_OR_RETURN(NetworkLine line, parseNetworkLine(text));
  const NetworkKey read = line.key;
  for (const KeptSchedule& kept : line.record.schedules) {
    TaskKey key{kept.workload, read.configuration, read.memory};
    VTA_RETURN_IF_ERROR(keys.check(key));
    line.key = {read.network, key.configuration, key.memory};
  }
  return line;
}

}  // namespace

Status Database::exportJsonLines(std::ostream& out, Exported trials) const {
  const std::string& possible = connection_->possibleTrial();
  const std::string fastest = fmt::format(kFastest, possible);
  const std::string of_trials =
      fmt::format(kExport, connection_->attemptsColumn(), connection_->steadyColumn(), possible,
                  trials == Exported::kBest ? fastest : "");
  const std::string of_proofs = fmt::format(kExportProofs, connection_->possibleProof());
  VTA_RETURN_IF_ERROR(writeLines(connection_->sql(), of_trials, trialToJson, out));
  VTA_RETURN_IF_ERROR(writeLines(connection_->sql(), of_proofs, proofToJson, out));
  VTA_RETURN_IF_ERROR(connection_->exportNetworks(out));
  return out ? Status() : ioError("cannot write the lines");
}

Result<Database> Database::readJsonLines(const std::filesystem::path& file) {
  VTA_RETURN_IF_ERROR(requireRegularFile(file));
  std::ifstream in(file);
  if (!in) return notFound(fmt::format("cannot read '{}'", file.string()));
  VTA_ASSIGN_OR_RETURN(Database database, open(":memory:", Access::kWrite));
  VTA_RETURN_IF_ERROR(database.importJsonLines(in).withContext(file.string()));
  return database;
}

Status Database::importJsonLines(std::istream& in) {
  SqlTransaction transaction(connection_->sql());
  VTA_RETURN_IF_ERROR(transaction.begin());
  std::string text;
  KeyChecker keys;
  for (int number = 1; std::getline(in, text); ++number) {
    if (text.empty()) continue;
    if (isNetworkLine(text)) {
      const Result<NetworkLine> line = parseNetwork(text, keys);
      if (!line.ok()) return line.status().withContext(fmt::format("line {}", number));
      VTA_RETURN_IF_ERROR(
          connection_->addNetwork(line->key, line->source, line->compiler, line->record));
      continue;
    }
    const Result<Line> line = parseLine(text, keys);
    if (!line.ok()) return line.status().withContext(fmt::format("line {}", number));
    VTA_ASSIGN_OR_RETURN(const int64_t task, connection_->addTask(line->task));
    const Status added =
        line->trial ? connection_->addTrial(task, line->source, line->compiler, *line->trial)
                    : connection_->addProof(task, line->source, line->compiler, *line->proof);
    VTA_RETURN_IF_ERROR(added);
  }
  return transaction.commit();
}

}  // namespace vta::tune
