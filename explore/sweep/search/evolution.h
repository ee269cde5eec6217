// pagmo's evolutionary searches over the points of a space.
#pragma once

#include <atomic>

#include "explore/sweep/search/searcher.h"

namespace vta::sweep {

/// As `search`, with setup.method "nsga2" (whose generations are evaluated together) or "moead"
/// (one point after the other).
Status evolve(const SearchSetup& setup, PointStore& store, const std::atomic<bool>* stop);

}  // namespace vta::sweep
