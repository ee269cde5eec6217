// What vta-sweep says of a sweep on its standard output.
#pragma once

#include <string>
#include <vector>

#include "explore/sweep/results/results_json.h"

namespace vta::tools {

/// Why points have no place on the front, how many there are of each status, how the networks were
/// counted, `remark` (empty: none), accuracies, and the first rows of the front.
std::string sweepSummary(const sweep::SweepConfig& sweep, const sweep::SweepResults& results,
                         const sweep::EvaluatorCounts& counts, const std::string& remark);

/// Warns of clocks above what is estimated: each text once, however many points it is of.
void warnOfClocks(const sweep::SweepConfig& sweep, const std::vector<sweep::PointResult>& points);

}  // namespace vta::tools
