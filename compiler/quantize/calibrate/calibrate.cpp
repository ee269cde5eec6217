#include "compiler/quantize/calibrate/calibrate.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "compiler/quantize/calibrate/activation_run.h"

namespace vta::compiler {
namespace {

using mlir::RankedTensorType;
using mlir::Value;

std::string nameOf(Value value) {
  if (auto name = mlir::dyn_cast<mlir::NameLoc>(value.getLoc())) return name.getName().str();
  return "an input";
}

// Calls `visit(channel, values)` for every image and channel (axis 1) of `values`.
template <typename Visit>
void forEachChannel(Value activation, std::span<const float> values, Visit visit) {
  const auto type = mlir::cast<RankedTensorType>(activation.getType());
  const int64_t outer = type.getRank() > 1 ? type.getDimSize(0) : 1;
  const int64_t channels = type.getRank() > 1 ? type.getDimSize(1) : 1;
  const int64_t inner = type.getNumElements() / (outer * channels);
  for (int64_t i = 0; i < outer * channels; ++i) {
    visit(i % channels, values.subspan(i * inner, inner));
  }
}

// Running extremes of the channels of one activation, and sums that show NaN and infinity.
struct ChannelSums {
  std::vector<float> min, max;
  std::vector<double> sum;

  void observe(Value activation, std::span<const float> values) {
    forEachChannel(activation, values, [&](size_t channel, std::span<const float> part) {
      if (channel >= sum.size()) {
        min.push_back(part.front());
        max.push_back(part.front());
        sum.push_back(0);
      }
      for (float value : part) {
        min[channel] = std::min(min[channel], value);
        max[channel] = std::max(max[channel], value);
        sum[channel] += value;
      }
    });
  }

  // False when a value was NaN or infinite: sums of finite floats are finite doubles.
  bool areFinite() const {
    return std::ranges::all_of(sum, [](double value) { return std::isfinite(value); });
  }

  ChannelStats stats() const {
    ChannelStats stats;
    for (size_t c = 0; c < sum.size(); ++c) {
      stats.max_abs.push_back(std::max(std::abs(min[c]), std::abs(max[c])));
    }
    return stats;
  }

  // The extremes of all channels, each multiplied by its factor.
  std::vector<float> extremes(const std::vector<float>& factors) const {
    std::vector<float> values;
    for (size_t c = 0; c < sum.size(); ++c) {
      const float factor = factors.empty() ? 1.0F : factors[c];
      values.push_back(min[c] * factor);
      values.push_back(max[c] * factor);
    }
    return values;
  }
};

// `values` with every channel multiplied by its factor; `values` themselves without factors.
std::span<const float> equalized(Value activation, std::span<const float> values,
                                 const std::vector<float>& factors, std::vector<float>& buffer) {
  if (factors.empty()) return values;
  buffer.clear();
  forEachChannel(activation, values, [&](size_t channel, std::span<const float> part) {
    for (float value : part) buffer.push_back(value * factors[channel]);
  });
  return buffer;
}

}  // namespace

Result<CalibrationData> calibrate(ActivationRun& run, const QuantPlan& plan,
                                  const std::vector<TensorMap>& samples, MomentOrder order,
                                  const Progress& progress) {
  const auto total = static_cast<int64_t>(2 * samples.size());
  int64_t done = 0;
  // Runs all samples and gives every activation's values to `observe(index, values, sample)`.
  const auto runAll = [&](auto observe) -> Status {
    for (size_t k = 0; k < samples.size(); ++k) {
      VTA_RETURN_IF_ERROR(run.run(samples[k]));
      for (size_t i = 0; i < plan.activations.size(); ++i) observe(i, run.values<float>(i), k);
      if (progress) progress("calibrate", ++done, total);
    }
    return {};
  };

  CalibrationData data;
  std::vector<ChannelSums> sums(plan.activations.size());
  VTA_RETURN_IF_ERROR(runAll([&](size_t i, std::span<const float> values, size_t) {
    sums[i].observe(plan.activations[i], values);
  }));
  for (size_t i = 0; i < sums.size(); ++i) {
    if (sums[i].areFinite()) continue;
    return invalidArgument(
        fmt::format("'{}' becomes NaN or infinite on the calibration data, so it has no range; "
                    "calibrate with other data or keep its layer in float with --float-layers",
                    nameOf(plan.activations[i])));
  }
  for (const ChannelSums& channels : sums) data.channels.push_back(channels.stats());
  data.factors = equalizeChannels(plan, data.channels);
  data.exponents = joinExponents(plan, data.channels);
  addJoinFactors(plan, data.exponents, data.factors);

  data.histograms.resize(plan.activations.size());
  for (size_t i = 0; i < sums.size(); ++i) {
    data.histograms[i].observeRange(sums[i].extremes(data.factors[i]));
  }
  MomentGatherer gatherer(plan, samples.size(), order);
  std::vector<float> buffer;
  VTA_RETURN_IF_ERROR(runAll([&](size_t i, std::span<const float> values, size_t sample) {
    const auto equal = equalized(plan.activations[i], values, data.factors[i], buffer);
    data.histograms[i].observeCounts(equal);
    gatherer.observe(i, equal, sample);
  }));
  data.moments = gatherer.take();
  return data;
}

}  // namespace vta::compiler
