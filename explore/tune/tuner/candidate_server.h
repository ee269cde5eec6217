// CandidateServer: ask and tell. Any optimiser drives our evaluator through lines of JSON
// (docs/tuning.md, "Bring your own optimiser").
#pragma once

#include <atomic>
#include <cstdint>
#include <iosfwd>
#include <map>
#include <memory>
#include <span>
#include <string>

#include <nlohmann/json_fwd.hpp>

#include "base/status.h"
#include "explore/tune/database/database.h"
#include "explore/tune/measure/measurement.h"
#include "explore/tune/search/registry.h"
#include "explore/tune/space/space.h"
#include "explore/tune/tuner/trial_keeper.h"

namespace vta::tune {

/// What a server is made with. All of it must outlive the server; `database` and `stop` may be
/// null.
struct ServerSetup {
  std::span<const Task> tasks;
  Measurer* measurer = nullptr;
  Database* database = nullptr;
  const SearcherKind* searcher = nullptr;  // of `propose`
  uint64_t seed = 1;
  const CostModel* prior = nullptr;         // as of TuneOptions
  const std::atomic<bool>* stop = nullptr;  // set: end after the present request
  double database_wait_seconds = kDatabaseWaitSeconds;
};

class CandidateServer {
 public:
  explicit CandidateServer(const ServerSetup& setup);
  ~CandidateServer();

  /// Answers each line of `in` with one line on `out`, until the input ends, a request says "end",
  /// or `stop` is set. A request that makes no sense is answered with an error, and the server goes
  /// on. Every measurement is in the database before its answer is out. Errors: the answers
  /// cannot be written (kIoError); those of TrialKeeper::flush at the end.
  Status serve(std::istream& in, std::ostream& out);

 private:
  using Json = nlohmann::ordered_json;
  struct TaskState;

  Result<Json> answer(const Json& request);
  Result<TaskState*> taskOf(const Json& request);
  Json describeTasks() const;
  Result<Json> propose(TaskState& state, const Json& request);
  Result<Json> find(TaskState& state, const Json& request) const;
  Result<Json> evaluate(TaskState& state, const Json& request);
  Result<Json> tell(TaskState& state, const Json& request);
  Json best(const TaskState& state) const;

  ServerSetup setup_;
  TrialKeeper keeper_;
  std::map<size_t, std::unique_ptr<TaskState>> states_;
};

}  // namespace vta::tune
