// The best of a sweep's points.
#pragma once

#include <string>
#include <vector>

#include "explore/sweep/evaluate/evaluator.h"

namespace vta::tools {

/// The feasible point with the least value of `best` ("-" in front: the largest) among those for
/// which `where` (empty: all) is not 0; of equals the first. Points whose accuracy is unknown are
/// left out where it counts. Errors: no expression, an unknown name, no such point (with how many
/// there are and what excludes them).
Result<const sweep::PointResult*> chooseBest(const sweep::SweepConfig& sweep,
                                             const std::vector<sweep::PointResult>& results,
                                             const std::vector<std::string>& names,
                                             const std::string& best, const std::string& where);

/// Whether chooseBest knows all names of `best` (empty: nothing is chosen) and `where`: what can be
/// said before a sweep has run for hours. Errors: no expression, an unknown name.
Status checkChoice(const sweep::SweepConfig& sweep, const std::vector<std::string>& names,
                   const std::string& best, const std::string& where);

}  // namespace vta::tools
