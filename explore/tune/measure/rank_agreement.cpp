#include "explore/tune/measure/rank_agreement.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <vector>

namespace vta::tune {
namespace {

/// The rank of each value, from 0; equal ones get the middle of their ranks.
std::vector<double> ranksOf(std::span<const uint64_t> values) {
  std::vector<size_t> order(values.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::ranges::sort(order, {}, [&](size_t i) { return values[i]; });
  std::vector<double> ranks(values.size());
  for (size_t first = 0, end = 0; first < order.size(); first = end) {
    while (end < order.size() && values[order[end]] == values[order[first]]) ++end;
    const double middle = static_cast<double>(first + end - 1) / 2;
    for (size_t i = first; i < end; ++i) ranks[order[i]] = middle;
  }
  return ranks;
}

}  // namespace

double rankAgreement(std::span<const uint64_t> a, std::span<const uint64_t> b) {
  const std::vector<double> ranks_a = ranksOf(a);
  const std::vector<double> ranks_b = ranksOf(b);
  const double mean = (static_cast<double>(a.size()) - 1) / 2;
  double both = 0;
  double square_a = 0;
  double square_b = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    const double delta_a = ranks_a[i] - mean;
    const double delta_b = ranks_b[i] - mean;
    both += delta_a * delta_b;
    square_a += delta_a * delta_a;
    square_b += delta_b * delta_b;
  }
  const double scale = std::sqrt(square_a * square_b);
  return scale > 0 ? both / scale : 0;
}

}  // namespace vta::tune
