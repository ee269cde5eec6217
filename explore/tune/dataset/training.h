// What a cost model learns from a data set.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <vector>

#include "base/status.h"
#include "explore/tune/model/cost_model.h"

namespace vta::tune {

/// The samples of the points that visitPoints gives, in their order: fewer when *stop becomes true.
/// Those of one kernel, accelerator and memory are a group. `done` hears of every point. Errors:
/// those of visitPoints.
Result<std::vector<Sample>> samplesOfPart(uint64_t seed, int64_t part, int64_t points,
                                          const std::atomic<bool>& stop,
                                          const std::function<void()>& done = {});

/// The parameters of a model that serves every task: larger than those of a single search.
CostModelOptions sharedModelOptions();

}  // namespace vta::tune
