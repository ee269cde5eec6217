// NetworkWork: what a worker of vta-sweep does, and the texts that it exchanges with its farm.
#pragma once

#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "explore/sweep/evaluate/network_job.h"
#include "explore/workers/farm/farm.h"
#include "explore/workers/worker/worker.h"

namespace vta::sweep {

/// For every worker: `version` identifies the program, `timeout` is for one job.
launcher::Json networkSetup(const std::string& version, int processes,
                            std::chrono::milliseconds timeout);
/// The context of a batch: `outline` is what encodeOutline wrote.
launcher::Json networkContext(const std::string& outline);
/// What became of an item. Errors: that of the simulation; its workers were lost. None where the
/// farm was stopped before it.
std::optional<Result<std::string>> networkResult(const launcher::ItemResult& item);

/// Items are jobs (jobJson), results {"text": what simulateNetwork gives} or {"error": why not}.
class NetworkWork final : public launcher::Work {
 public:
  /// A farm of another version is refused.
  explicit NetworkWork(std::string version) : version_(std::move(version)) {}

  Result<launcher::Json> setUp(const launcher::Json& setup) override;
  Result<std::vector<launcher::Json>> process(const launcher::Json& context,
                                              const std::vector<launcher::Json>& items) override;

 private:
  std::string version_;
  int processes_ = 1;
  std::chrono::milliseconds timeout_ = {};
};

}  // namespace vta::sweep
