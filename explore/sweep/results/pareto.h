// Which points no other point beats.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "explore/sweep/evaluate/evaluator.h"

namespace vta::sweep {

/// Whether `a` is at least as good as `b` in all objectives and better in one. All are minimised.
bool dominates(std::span<const double> a, std::span<const double> b);

/// The feasible points that no feasible point dominates, in their order; of points with equal
/// objectives, all.
std::vector<size_t> paretoFront(const std::vector<PointResult>& results);

}  // namespace vta::sweep
