#include "compiler/quantize/calibrate/histogram.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace vta::compiler {
namespace {

// Share of the values at each end that percentile ranges may cut off.
constexpr double kPercentileTail = 1e-4;

// The same for Kullback-Leibler ranges. The divergence folds what is cut into the last bin and so
// does not see how far it moves: without a limit it cuts off a tenth of the values of narrow
// networks, whose ranges are full to the end.
constexpr double kDivergenceTail = 1e-3;

// Divergence of the distribution `counts` from what remains when it is clipped to [first, last) and
// represented by `levels` equal steps. Migacz, "8-bit inference with TensorRT" (GTC 2017).
double clippedDivergence(const std::vector<int64_t>& counts, int first, int last, int levels) {
  const int width = last - first;
  std::vector<double> reference(counts.begin() + first, counts.begin() + last);
  for (int i = 0; i < first; ++i) reference.front() += counts[i];
  for (size_t i = last; i < counts.size(); ++i) reference.back() += counts[i];

  std::vector<double> quantized(width, 0.0);
  for (int level = 0; level < levels; ++level) {
    const int begin = static_cast<int>(int64_t{width} * level / levels);
    const int end = static_cast<int>(int64_t{width} * (level + 1) / levels);
    double sum = 0;
    int occupied = 0;
    for (int i = begin; i < end; ++i) {
      sum += counts[first + i];
      occupied += counts[first + i] > 0 ? 1 : 0;
    }
    for (int i = begin; i < end; ++i) {
      if (counts[first + i] > 0) quantized[i] = sum / occupied;
    }
  }

  double reference_total = 0, quantized_total = 0, divergence = 0;
  for (int i = 0; i < width; ++i) {
    reference_total += reference[i];
    quantized_total += quantized[i];
  }
  for (int i = 0; i < width; ++i) {
    if (reference[i] == 0) continue;
    const double p = reference[i] / reference_total;
    // A bin that clipping alone fills has no quantised mass: smooth it, as the source does.
    const double q = std::max(quantized[i] / std::max(quantized_total, 1.0), 1e-9);
    divergence += p * std::log(p / q);
  }
  return divergence;
}

}  // namespace

void Histogram::observeRange(std::span<const float> values) {
  if (values.empty()) return;
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  range_.min = empty_ ? *low : std::min<double>(range_.min, *low);
  range_.max = empty_ ? *high : std::max<double>(range_.max, *high);
  empty_ = false;
}

void Histogram::observeCounts(std::span<const float> values) {
  if (range_.max <= range_.min) return;
  counts_.resize(kBins, 0);
  const double per_unit = kBins / (range_.max - range_.min);
  for (float value : values) {
    const int bin = static_cast<int>((value - range_.min) * per_unit);
    ++counts_[std::clamp(bin, 0, kBins - 1)];
    zeros_ += value == 0 ? 1 : 0;
  }
  total_ += static_cast<int64_t>(values.size());
}

std::vector<double> Histogram::shares(double scale, int64_t zero_point) const {
  if (total_ == 0) return {};
  std::vector<double> shares(256, 0);
  for (int bin = 0; bin < kBins; ++bin) {
    const double steps = std::nearbyint((binEdge(bin) + binEdge(bin + 1)) / 2 / scale);
    const double place = std::clamp(steps + static_cast<double>(zero_point) + 128, 0.0, 255.0);
    shares[static_cast<size_t>(place)] +=
        static_cast<double>(counts_[static_cast<size_t>(bin)]) / static_cast<double>(total_);
  }
  return shares;
}

ValueRange Histogram::choose(CalibrationMethod method) const {
  if (total_ == 0 || method == CalibrationMethod::kMinMax) return range_;
  if (method == CalibrationMethod::kPercentile) return percentile(kPercentileTail);
  return method == CalibrationMethod::kKl ? leastDivergence() : leastError();
}

// The sum of squared errors when [first, last) is covered by 255 steps: that of rounding inside,
// and the way to the nearest end outside.
double Histogram::clippedError(int first, int last) const {
  constexpr double kSteps = 255, kVarianceOfRounding = 1.0 / 12;
  const double bin = (range_.max - range_.min) / kBins;
  const double step = bin * (last - first) / kSteps;
  double error = 0;
  for (int i = 0; i < kBins; ++i) {
    const int outside = i < first ? first - i : i >= last ? i - last + 1 : 0;
    const double moved = bin * outside;
    error += static_cast<double>(counts_[i]) *
             (outside > 0 ? moved * moved : step * step * kVarianceOfRounding);
  }
  return error;
}

ValueRange Histogram::leastError() const {
  constexpr int kStep = 8, kNarrowest = kBins / 16;
  ValueRange best = range_;
  double least = clippedError(0, kBins);
  // Ranges shrink from the end that lies farther from zero, so that they stay around the mass.
  for (int first = 0, last = kBins; last - first - kStep >= kNarrowest;) {
    const bool from_top = std::abs(binEdge(last)) >= std::abs(binEdge(first));
    (from_top ? last : first) += from_top ? -kStep : kStep;
    const double error = clippedError(first, last);
    if (error >= least) continue;
    least = error;
    best = {binEdge(first), binEdge(last)};
  }
  return best;
}

ValueRange Histogram::percentile(double kept) const {
  const auto allowed = static_cast<int64_t>(kept * static_cast<double>(total_));
  int first = 0, last = kBins;
  for (int64_t cut = counts_[first]; cut <= allowed && first < kBins - 1; cut += counts_[first]) {
    ++first;
  }
  for (int64_t cut = counts_[last - 1]; cut <= allowed && last - 1 > first;
       cut += counts_[last - 1]) {
    --last;
  }
  return {binEdge(first), binEdge(last)};
}

ValueRange Histogram::leastDivergence() const {
  constexpr int kLevels = 256;
  constexpr int kStep = 16;
  // Zero is exact whatever the range. With the spike that a relu leaves there, ranges would shrink
  // until a level holds nothing else.
  std::vector<int64_t> counts = counts_;
  const double zero_bin = -range_.min * kBins / (range_.max - range_.min);
  counts[std::clamp(static_cast<int>(zero_bin), 0, kBins - 1)] -= zeros_;
  const auto allowed = static_cast<int64_t>(kDivergenceTail * static_cast<double>(total_));
  const auto held = [&](int first, int last) {
    return std::accumulate(counts_.begin() + first, counts_.begin() + last, int64_t{0});
  };

  // Ranges shrink from the end that lies farther from zero, so that they stay around the mass.
  ValueRange best = range_;
  double least = clippedDivergence(counts, 0, kBins, kLevels);
  int first = 0, last = kBins;
  while (last - first - kStep >= kLevels) {
    const bool from_top = std::abs(binEdge(last)) >= std::abs(binEdge(first));
    (from_top ? last : first) += from_top ? -kStep : kStep;
    if (held(0, first) > allowed || held(last, kBins) > allowed) break;
    const double divergence = clippedDivergence(counts, first, last, kLevels);
    if (divergence < least) {
      least = divergence;
      best = {binEdge(first), binEdge(last)};
    }
  }
  return best;
}

}  // namespace vta::compiler
