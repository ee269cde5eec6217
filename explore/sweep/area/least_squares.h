// Linear models whose coefficients are not negative.
#pragma once

#include <span>
#include <vector>

namespace vta::sweep {

/// The coefficients c >= 0 for which sum over rows of (row . c / target - 1)^2 is least: relative
/// errors count, so that small and large targets weigh the same. `ridge` pulls unneeded
/// coefficients to zero. Rows are of equal length, targets above 0.
std::vector<double> fitNonNegative(const std::vector<std::vector<double>>& rows,
                                   std::span<const double> targets, double ridge);

double dot(std::span<const double> a, std::span<const double> b);

}  // namespace vta::sweep
