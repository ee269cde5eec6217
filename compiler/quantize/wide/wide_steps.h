// Integers of activations with more than 8 bits, which have a high and a low part of 8 bits each:
// plain arithmetic, no MLIR. docs/quantisation.md, "Wide activations".
#pragma once

#include <cstdint>
#include <vector>

#include "compiler/quantize/plan/requantize.h"

namespace vta::compiler {

/// Bits of a wide activation below those of its int8 part. Weights of low parts are 2^-kLowBits of
/// the others, so with more bits they would be too coarse.
inline constexpr int kLowBits = 4;

/// Filters of [O, I, ...] become those of [O, 2 * I, ...]: each input channel is followed by its
/// low part. `weights` in float say what the low part's integers are; `taps` are the elements of
/// one filter and channel.
std::vector<int8_t> withLowInputs(const QuantizedWeights& quantized,
                                  const std::vector<float>& weights, const FilterLayout& layout,
                                  int64_t taps, const WeightRange& range);

/// Every filter twice.
std::vector<int8_t> withLowOutputs(const std::vector<int8_t>& weights, int64_t filters);

/// Accumulators are divided into output steps by shifts up to this one: with larger shifts the
/// largest activation would not fit 32 bits.
inline constexpr int kMostWideShift = 20;

/// How accumulators become the two parts. Lane 2 * c is channel c's high part and lane 2 * c + 1
/// its low part. In turn: + bias, max `least`, min `most`, then >> of every row of `shifts`; the
/// low 8 bits are the result.
struct WideSteps {
  std::vector<int32_t> bias, least, most;
  std::vector<std::vector<int32_t>> shifts;
};

/// How far one instruction shifts.
struct ShiftLimits {
  int left = 31;
  int right = 31;
};

/// `bias` are in accumulator units, with the input's zero point and without that of the output.
/// `shifts`, from 1 to kMostWideShift, divide accumulators into output steps. Results are
/// clamped to [clip_min, clip_max].
WideSteps wideSteps(const std::vector<double>& bias, const std::vector<int32_t>& shifts,
                    double clip_min, double clip_max, const QuantParams& out,
                    const ShiftLimits& limits);

}  // namespace vta::compiler
