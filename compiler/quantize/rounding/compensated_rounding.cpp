#include "compiler/quantize/rounding/compensated_rounding.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace vta::compiler {
namespace {

/// Variance added to every term, as a share of the mean variance: what calibration did not see.
constexpr double kLeastDamping = 0.01;
/// The same for each term over the number of columns: few columns say little.
constexpr double kDampingPerTerm = 0.25;

/// What an error of rounding costs, as squares that are one after the other the choice of one more
/// weight: the sum over j of d[j] * (e[j] + sum over i < j of u[i][j] * e[i])^2.
class SequentialCost {
 public:
  /// `covariance` of `size` terms; terms that vary most come first.
  SequentialCost(const std::vector<double>& covariance, int64_t size, int64_t columns)
      : size_(size), order_(static_cast<size_t>(size)), unit_(static_cast<size_t>(size * size)) {
    std::iota(order_.begin(), order_.end(), int64_t{0});
    const auto variance = [&](int64_t i) { return covariance[static_cast<size_t>(i * size + i)]; };
    double sum = 0;
    for (int64_t i = 0; i < size; ++i) sum += variance(i);
    varies_ = sum > 0;
    std::ranges::stable_sort(order_,
                             [&](int64_t a, int64_t b) { return variance(a) > variance(b); });
    const double share = kLeastDamping + kDampingPerTerm * static_cast<double>(size) /
                                             static_cast<double>(std::max<int64_t>(columns, 1));
    for (int64_t i = 0; i < size; ++i) {
      for (int64_t j = 0; j < size; ++j) {
        at(i, j) = covariance[static_cast<size_t>(order_[i] * size + order_[j])];
      }
      at(i, i) += share * sum / static_cast<double>(size);
    }
    if (varies_) factor();
  }

  bool varies() const { return varies_; }
  /// The term that is rounded as number `i`.
  int64_t term(int64_t i) const { return order_[static_cast<size_t>(i)]; }
  /// By how much the errors before it ask weight `j` to change; errors in the order of rounding.
  double carried(int64_t j, const std::vector<double>& errors) const {
    const double* row = &unit_[static_cast<size_t>(j * size_)];
    double sum = 0;
    for (int64_t i = 0; i < j; ++i) sum += row[i] * errors[static_cast<size_t>(i)];
    return sum;
  }
  double of(const std::vector<double>& errors) const {
    double cost = 0;
    for (int64_t j = 0; j < size_; ++j) {
      const double error = errors[static_cast<size_t>(j)] + carried(j, errors);
      cost += unit_[static_cast<size_t>(j * size_ + j)] * error * error;
    }
    return cost;
  }

 private:
  double& at(int64_t i, int64_t j) { return unit_[static_cast<size_t>(i * size_ + j)]; }

  /// H = U D U', U upper triangular with ones on its diagonal. Afterwards row j holds column j of U
  /// up to its diagonal, and there D.
  void factor() {
    for (int64_t j = size_ - 1; j > 0; --j) {
      const double pivot = at(j, j);
      for (int64_t i = 0; i < j; ++i) {
        const double share = at(j, i) / pivot;
        for (int64_t k = 0; k <= i; ++k) at(i, k) -= share * at(j, k);
      }
      for (int64_t i = 0; i < j; ++i) at(j, i) /= pivot;
    }
  }

  int64_t size_;
  bool varies_ = false;
  std::vector<int64_t> order_;
  std::vector<double> unit_;
};

/// Rounds the weights of one filter in one block; `first` is the block's first term.
void roundFilter(const std::vector<float>& weights, const FilterLayout& layout, int64_t channel,
                 int64_t first, const SequentialCost& cost, int64_t size, const WeightRange& range,
                 QuantizedWeights& quantized) {
  const double scale = quantized.scales[static_cast<size_t>(channel)];
  std::vector<double> nearest(static_cast<size_t>(size)), errors(nearest.size());
  std::vector<int8_t> rounded(nearest.size());
  for (int64_t j = 0; j < size; ++j) {
    const int64_t i = first + cost.term(j);
    const auto at = static_cast<size_t>(layout.index(channel, i));
    const double wanted = weights[at] / scale;
    const double moved = wanted + cost.carried(j, errors);
    const double q = roundToStep(moved, quantized.steps.at(channel, i), range);
    errors[static_cast<size_t>(j)] = wanted - q;
    nearest[static_cast<size_t>(j)] = wanted - quantized.values[at];
    rounded[static_cast<size_t>(j)] = static_cast<int8_t>(q);
  }
  if (!(cost.of(errors) < cost.of(nearest))) return;
  for (int64_t j = 0; j < size; ++j) {
    quantized.values[static_cast<size_t>(layout.index(channel, first + cost.term(j)))] =
        rounded[static_cast<size_t>(j)];
  }
}

}  // namespace

void compensateRounding(const std::vector<float>& weights, const FilterLayout& layout,
                        const InputMoments& moments, const WeightRange& range,
                        QuantizedWeights& quantized) {
  const int64_t per_group = layout.channels / moments.groups();
  for (int64_t group = 0; group < moments.groups(); ++group) {
    for (int64_t block = 0; block < moments.blocks(); ++block) {
      const int64_t size = moments.blockTerms(block);
      const SequentialCost cost(moments.covariance(group, block), size, moments.count());
      if (!cost.varies()) continue;
      for (int64_t c = group * per_group; c < (group + 1) * per_group; ++c) {
        roundFilter(weights, layout, c, block * InputMoments::kBlockTerms, cost, size, range,
                    quantized);
      }
    }
  }
  for (int64_t c = 0; c < layout.channels; ++c) {
    int64_t& sum = quantized.row_sums[static_cast<size_t>(c)];
    sum = 0;
    for (int64_t i = 0; i < layout.inner; ++i) {
      sum += quantized.values[static_cast<size_t>(layout.index(c, i))];
    }
  }
}

std::vector<double> weightErrorInMean(const std::vector<float>& weights, const FilterLayout& layout,
                                      const InputMoments& moments,
                                      const QuantizedWeights& quantized) {
  const int64_t per_group = layout.channels / moments.groups();
  std::vector<double> error(static_cast<size_t>(layout.channels));
  for (int64_t c = 0; c < layout.channels; ++c) {
    for (int64_t i = 0; i < layout.inner; ++i) {
      const auto at = static_cast<size_t>(layout.index(c, i));
      const double rounded = quantized.values[at] * quantized.scales[static_cast<size_t>(c)];
      error[static_cast<size_t>(c)] += (weights[at] - rounded) * moments.mean(c / per_group, i);
    }
  }
  return error;
}

}  // namespace vta::compiler
