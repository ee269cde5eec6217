#include "explore/sweep/area/least_squares.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace vta::sweep {

double dot(std::span<const double> a, std::span<const double> b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

std::vector<double> fitNonNegative(const std::vector<std::vector<double>>& rows,
                                   std::span<const double> targets, double ridge) {
  if (rows.empty()) return {};
  const size_t features = rows.front().size();
  // Columns of similar size make the descent quick and the ridge fair.
  std::vector<double> scales(features, 0);
  for (size_t r = 0; r < rows.size(); ++r) {
    for (size_t f = 0; f < features; ++f) {
      scales[f] = std::max(scales[f], std::abs(rows[r][f] / targets[r]));
    }
  }
  std::vector<std::vector<double>> scaled = rows;
  for (size_t r = 0; r < rows.size(); ++r) {
    for (size_t f = 0; f < features; ++f) {
      scaled[r][f] = scales[f] == 0 ? 0 : rows[r][f] / targets[r] / scales[f];
    }
  }
  std::vector<double> solution(features, 0);
  std::vector<double> residual(rows.size(), 1);  // 1 - row . solution
  constexpr int kSweeps = 20000;
  for (int sweep = 0; sweep < kSweeps; ++sweep) {
    double change = 0;
    for (size_t f = 0; f < features; ++f) {
      double gradient = -ridge * solution[f];
      double curvature = ridge;
      for (size_t r = 0; r < rows.size(); ++r) {
        gradient += scaled[r][f] * residual[r];
        curvature += scaled[r][f] * scaled[r][f];
      }
      if (curvature == 0) continue;
      const double next = std::max(0.0, solution[f] + gradient / curvature);
      const double step = next - solution[f];
      for (size_t r = 0; r < rows.size(); ++r) residual[r] -= step * scaled[r][f];
      solution[f] = next;
      change = std::max(change, std::abs(step));
    }
    if (change < 1e-10) break;
  }
  for (size_t f = 0; f < features; ++f) solution[f] = scales[f] == 0 ? 0 : solution[f] / scales[f];
  return solution;
}

}  // namespace vta::sweep
