#include "explore/tune/tuner/candidate_server.h"

#include <fmt/format.h>

#include <algorithm>
#include <istream>
#include <nlohmann/json.hpp>
#include <optional>
#include <ostream>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "compiler/kernel/desc/schedule.h"
#include "explore/tune/space/vta_space.h"

namespace vta::tune {
namespace {

using Json = nlohmann::ordered_json;

constexpr size_t kMostLineBytes = 1 << 20;
constexpr size_t kMostCandidates = 10'000;  // of one request
constexpr const char* kRequests = "tasks, propose, find, evaluate, tell, best, end";

Json scheduleToJson(const kernel::Schedule& schedule) {
  return Json::parse(scheduleText(schedule));
}

/// The values that each field has in a space, as scheduleText writes them: what an optimiser
/// chooses from.
Json domainsOf(const VtaSpace& space) {
  Json domains = Json::object();
  for (const kernel::ScheduleField& field : kernel::scheduleFields()) {
    std::vector<int64_t> values;
    for (Candidate i = 0; i < space.size(); ++i) values.push_back(field.get(space.schedule(i)));
    std::ranges::sort(values);
    values.erase(std::ranges::unique(values).begin(), values.end());
    domains[field.key] = values;
  }
  return domains;
}

}  // namespace

struct CandidateServer::TaskState {
  TaskState(const Task& its_task, VtaSpace its_space)
      : task(its_task), space(std::move(its_space)) {}

  const Task& task;
  VtaSpace space;
  std::unique_ptr<Searcher> searcher;
  std::map<Candidate, uint64_t> cycles;  // measured here, in this run or an earlier one
  Clock::time_point start = Clock::now();

  Result<std::vector<Candidate>> candidatesOf(const Json& request) const {
    if (!request.contains("candidates") || !request["candidates"].is_array()) {
      return invalidArgument("\"candidates\" has to be a list of numbers of candidates");
    }
    std::vector<Candidate> candidates;
    for (const Json& entry : request["candidates"]) {
      if (!entry.is_number_unsigned() || entry.get<uint64_t>() >= space.size()) {
        return invalidArgument(fmt::format("candidate {} does not exist; this task has 0 to {}",
                                           entry.dump(), space.size() - 1));
      }
      candidates.push_back(entry.get<Candidate>());
    }
    if (candidates.empty() || candidates.size() > kMostCandidates) {
      return invalidArgument(fmt::format("{} candidates in one request; legal: 1 to {}",
                                         candidates.size(), kMostCandidates));
    }
    return candidates;
  }

  Json describe(Candidate i) const {
    return {{"candidate", i},
            {"schedule", scheduleToJson(space.schedule(i))},
            {"estimate_cycles", static_cast<uint64_t>(space.estimate(i))},
            {"floor_cycles", space.floorCycles(i)}};
  }
};

CandidateServer::CandidateServer(const ServerSetup& setup)
    : setup_(setup), keeper_(setup.database, setup.database_wait_seconds) {}
CandidateServer::~CandidateServer() = default;

Status CandidateServer::serve(std::istream& in, std::ostream& out) {
  std::string line;
  while ((setup_.stop == nullptr || !*setup_.stop) && std::getline(in, line)) {
    if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
    Result<Json> reply = invalidArgument(
        fmt::format("the line has {} bytes; legal: up to {}", line.size(), kMostLineBytes));
    bool ends = false;
    if (line.size() <= kMostLineBytes) {
      const Json request = Json::parse(line, nullptr, /*allow_exceptions=*/false);
      ends = request.is_object() && request.value("do", Json()) == "end";
      reply = request.is_object() ? answer(request)
                                  : Result<Json>(invalidArgument("the line is no JSON object"));
    }
    const Json text = reply.ok() ? *reply : Json{{"error", reply.status().message()}};
    // What a client sends may be no text; the answer is.
    out << text.dump(-1, ' ', false, Json::error_handler_t::replace) << "\n" << std::flush;
    if (!out) return ioError("standard output: cannot write the answers");
    if (ends) break;
  }
  return keeper_.flush();
}

Result<Json> CandidateServer::answer(const Json& request) {
  const Json what = request.value("do", Json());
  if (what == "tasks") return describeTasks();
  if (what == "end") return Json{{"ended", true}};
  const auto needs_task = {"propose", "find", "evaluate", "tell", "best"};
  if (std::ranges::find(needs_task, what) == needs_task.end()) {
    return invalidArgument(fmt::format("\"do\" is {}; legal: {}", what.dump(), kRequests));
  }
  VTA_ASSIGN_OR_RETURN(TaskState* const state, taskOf(request));
  if (what == "propose") return propose(*state, request);
  if (what == "find") return find(*state, request);
  if (what == "evaluate") return evaluate(*state, request);
  if (what == "tell") return tell(*state, request);
  return best(*state);
}

Json CandidateServer::describeTasks() const {
  Json tasks = Json::array();
  for (size_t i = 0; i < setup_.tasks.size(); ++i) {
    const Task& task = setup_.tasks[i];
    tasks.push_back({{"task", i},
                     {"name", task.desc.name},
                     {"layers", task.layers},
                     {"hw", task.hw.name()},
                     {"memory", task.memory.name}});
  }
  return {{"tasks", std::move(tasks)}, {"source", setup_.measurer->source()}};
}

Result<CandidateServer::TaskState*> CandidateServer::taskOf(const Json& request) {
  const Json number = request.value("task", Json());
  if (!number.is_number_unsigned() || number.get<uint64_t>() >= setup_.tasks.size()) {
    return invalidArgument(fmt::format("\"task\" is {}; there are tasks 0 to {}", number.dump(),
                                       setup_.tasks.size() - 1));
  }
  const auto index = number.get<size_t>();
  std::unique_ptr<TaskState>& state = states_[index];
  if (state) return state.get();
  const Task& task = setup_.tasks[index];
  VTA_ASSIGN_OR_RETURN(VtaSpace space, VtaSpace::create(task));
  auto made = std::make_unique<TaskState>(task, std::move(space));
  made->searcher =
      setup_.searcher->make({.space = &made->space, .seed = setup_.seed, .prior = setup_.prior});
  if (setup_.database != nullptr) {
    VTA_ASSIGN_OR_RETURN(const std::vector<TrialRecord> stored,
                         setup_.database->trials(keyOf(task), setup_.measurer->source()));
    std::vector<Trial> trials;
    for (const TrialRecord& record : stored) {
      const auto schedule = parseSchedule(record.schedule);
      const auto candidate = schedule.ok() ? made->space.find(*schedule) : std::nullopt;
      if (!candidate || record.outcome != Outcome::kCycles) continue;
      const bool is_exact = setup_.measurer->source() == kSimulatorSource;
      if (is_exact && record.cycles < made->space.floorCycles(*candidate)) continue;  // not true
      made->cycles[*candidate] = record.cycles;
      trials.push_back({*candidate, record.cycles});
    }
    VTA_RETURN_IF_ERROR(made->searcher->tell(trials));
  }
  state = std::move(made);
  return state.get();
}

Result<Json> CandidateServer::propose(TaskState& state, const Json& request) {
  const Json count = request.value("count", Json(state.searcher->batchSize()));
  if (!count.is_number_unsigned() || count.get<uint64_t>() < 1 ||
      count.get<uint64_t>() > kMostCandidates) {
    return invalidArgument(
        fmt::format("\"count\" is {}; legal: 1 to {}", count.dump(), kMostCandidates));
  }
  VTA_ASSIGN_OR_RETURN(const std::vector<Candidate> proposed,
                       state.searcher->propose(count.get<size_t>()));
  Json candidates = Json::array();
  for (const Candidate i : proposed) candidates.push_back(state.describe(i));
  return Json{{"candidates", std::move(candidates)}};
}

// With a schedule its candidate, or null where it does not fit; without one the size of the space
// and the values that its fields have.
Result<Json> CandidateServer::find(TaskState& state, const Json& request) const {
  if (!request.contains("schedule")) {
    return Json{{"size", state.space.size()}, {"fields", domainsOf(state.space)}};
  }
  VTA_ASSIGN_OR_RETURN(const kernel::Schedule schedule, parseSchedule(request["schedule"].dump()));
  const auto candidate = state.space.find(schedule);
  if (!candidate) return Json{{"candidate", nullptr}};
  return state.describe(*candidate);
}

Result<Json> CandidateServer::evaluate(TaskState& state, const Json& request) {
  VTA_ASSIGN_OR_RETURN(const std::vector<Candidate> candidates, state.candidatesOf(request));
  std::vector<kernel::Schedule> schedules;
  for (const Candidate i : candidates) schedules.push_back(state.space.schedule(i));
  VTA_RETURN_IF_ERROR(setup_.measurer->begin(state.task));
  const std::vector<Measurement> measured = setup_.measurer->measure(schedules, kAnyCycles);
  Json results = Json::array();
  std::vector<TrialRecord> records;
  std::vector<Trial> trials;
  for (size_t i = 0; i < candidates.size(); ++i) {
    if (measured[i].outcome == Outcome::kNotMeasured) {
      results.push_back({{"candidate", candidates[i]}, {"error", "not measured"}});
      continue;
    }
    records.push_back({.schedule = scheduleText(schedules[i]),
                       .outcome = measured[i].outcome,
                       .cycles = measured[i].cycles,
                       .seconds = secondsSince(state.start),
                       .searcher = "client",
                       .seed = setup_.seed,
                       .attempts = measured[i].attempts,
                       .is_steady = measured[i].is_steady});
    Json result = {{"candidate", candidates[i]}};
    if (measured[i].outcome == Outcome::kCycles) {
      result["cycles"] = measured[i].cycles;
      state.cycles[candidates[i]] = measured[i].cycles;
      trials.push_back({candidates[i], measured[i].cycles});
    } else {
      result["error"] = measured[i].error.empty() ? std::string(outcomeName(measured[i].outcome))
                                                  : measured[i].error;
      trials.push_back({candidates[i], std::nullopt});
    }
    results.push_back(std::move(result));
  }
  VTA_RETURN_IF_ERROR(keeper_.add(storedTask(state.task), setup_.measurer->source(), records));
  VTA_RETURN_IF_ERROR(keeper_.flush());
  VTA_RETURN_IF_ERROR(state.searcher->tell(trials));
  VTA_RETURN_IF_ERROR(setup_.measurer->health());
  return Json{{"results", std::move(results)}};
}

// Cycles that were measured elsewhere: the searcher learns from them, the database does not.
Result<Json> CandidateServer::tell(TaskState& state, const Json& request) {
  VTA_ASSIGN_OR_RETURN(const std::vector<Candidate> candidates, state.candidatesOf(request));
  const Json cycles = request.value("cycles", Json());
  if (!cycles.is_array() || cycles.size() != candidates.size()) {
    return invalidArgument("\"cycles\" has to be a list with one number, or null, a candidate");
  }
  std::vector<Trial> trials;
  for (size_t i = 0; i < candidates.size(); ++i) {
    const bool is_count = cycles[i].is_number_unsigned() && cycles[i].get<uint64_t>() >= 1 &&
                          cycles[i].get<uint64_t>() <= kMostCycles;
    if (!cycles[i].is_null() && !is_count) {
      return invalidArgument(fmt::format("cycles {} is neither a number from 1 to {} nor null",
                                         cycles[i].dump(), kMostCycles));
    }
    trials.push_back({candidates[i], cycles[i].is_null()
                                         ? std::nullopt
                                         : std::optional(cycles[i].get<uint64_t>())});
  }
  VTA_RETURN_IF_ERROR(state.searcher->tell(trials));
  return Json{{"told", trials.size()}};
}

Json CandidateServer::best(const TaskState& state) const {
  if (state.cycles.empty()) return {{"candidate", nullptr}};
  const auto found =
      std::ranges::min_element(state.cycles, {}, [](const auto& entry) { return entry.second; });
  Json json = state.describe(found->first);
  json["cycles"] = found->second;
  uint64_t least = found->second;
  for (Candidate i = 0; i < state.space.size(); ++i) {
    const auto measured = state.cycles.find(i);
    least = std::min(
        least, measured != state.cycles.end() ? measured->second : state.space.floorCycles(i));
  }
  // No schedule of the space takes fewer.
  json["space_floor_cycles"] = least;
  return json;
}

}  // namespace vta::tune
