// Value statistics of one activation, and the range that quantisation should cover.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "compiler/quantize/common/options.h"

namespace vta::compiler {

struct ValueRange {
  double min = 0;
  double max = 0;
};

/// Two passes over the data: `observeRange` with everything, then `observeCounts` with everything.
class Histogram {
 public:
  void observeRange(std::span<const float> values);
  void observeCounts(std::span<const float> values);

  /// Everything seen by observeRange.
  ValueRange seen() const { return range_; }

  /// The range to cover by `method`, which is not kAuto; inside seen(). Falls back to seen()
  /// without counts.
  ValueRange choose(CalibrationMethod method) const;

  /// The share of the values that each integer from -128 to 127 stands for, with saturation. Empty
  /// without counts.
  std::vector<double> shares(double scale, int64_t zero_point) const;

 private:
  static constexpr int kBins = 2048;

  ValueRange percentile(double kept) const;
  ValueRange leastDivergence() const;
  ValueRange leastError() const;
  double clippedError(int first, int last) const;
  double binEdge(int bin) const { return range_.min + (range_.max - range_.min) * bin / kBins; }

  bool empty_ = true;
  ValueRange range_;
  std::vector<int64_t> counts_;
  int64_t total_ = 0;
  int64_t zeros_ = 0;  // exact ones, which are in counts_ too
};

}  // namespace vta::compiler
