// Weights with factors: integers of 8 bits as products of narrow ones and of factors that many of
// them share.
//
// The weights of one output channel and of some blocks of input channels have one factor: a group.
// This is the quantisation of Dai et al., "VS-Quant" (MLSys 2021): small integers, an integer
// factor for each group, a real scale for each channel. Here the accumulators of a tile need no
// second tile for the sum of a group. Between the products of group j and those of group j + 1, all
// that has been summed up is multiplied by f[j] / f[j + 1], and behind the last group by f[last]:
//
//   (..((p[0] * f[0] / f[1] + p[1]) * f[1] / f[2] + p[2]) ..) * f[last] = sum over j of p[j] * f[j]
//
// Accumulators count modulo 2^acc_width, where every odd number has an inverse. So the quotients of
// odd factors are integers, and the result is exact whatever the sums in between look like. A power
// of two can be a factor of the whole channel.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "compiler/kernel/desc/kernel_desc.h"
#include "isa/config/hw_config.h"

namespace vta::kernel {

/// Factored weights, and what KernelDesc::factor_blocks describes.
struct FactoredWeights {
  std::vector<int8_t> weights;  // less their factors, in the layout that they had
  int64_t factor_blocks = 0;
  std::vector<int32_t> params;  // [factors][OC/bo][b][bo]: what accumulators are multiplied by
};

/// Factors `weights`, which lie in tiles (WeightLayout::kTiles) as `geometry` says, so that they
/// fit the weights of `hw`. Of all ways the one with the largest groups. None where a group of a
/// single block still has weights whose greatest common divisor leaves too much.
std::optional<FactoredWeights> factorWeights(std::span<const int8_t> weights,
                                             const Geometry& geometry, const HwConfig& hw);

/// Whether `weights` fit the weights of `hw` as they are.
bool fitWeights(std::span<const int8_t> weights, const HwConfig& hw);

}  // namespace vta::kernel
