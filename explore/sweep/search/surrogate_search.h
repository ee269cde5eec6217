// The search that asks a learned model which points are worth an evaluation.
#pragma once

#include <atomic>
#include <string>

#include "explore/sweep/search/searcher.h"

namespace vta::sweep {

/// As `search`, with setup.method "surrogate". A first part of the points is random; then the model
/// (surrogate/surrogate.h) learns from all evaluated points, and the next few are those on the
/// front that it predicts, far from each other, besides some that are unlike all others. `remark`,
/// where it is not null, gets a line on how well the model predicted the points that it chose.
Status searchWithSurrogate(const SearchSetup& setup, PointStore& store,
                           const std::atomic<bool>* stop, std::string* remark);

}  // namespace vta::sweep
