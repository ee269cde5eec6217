// Extension `depthwise`: a GEMM that multiplies several consecutive elements of INP at once.
//
// docs/isa.md, "Depthwise GEMM", says what it computes; these are its numbers.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

#include "isa/spec/hw_params.h"

namespace vta {

/// Iterations of a loop take so many bits of an instruction.
inline constexpr int kIterBits = 14;
/// The high bits of iter_in that hold the number of taps, less one; the others count iterations.
inline constexpr int kTapsBits = 3;
inline constexpr int kDepthwiseIterBits = kIterBits - kTapsBits;
inline constexpr uint32_t kMaxDepthwiseIterIn = (1u << kDepthwiseIterBits) - 1;
inline constexpr uint32_t kMaxTaps = 1u << kTapsBits;

/// Elements of INP that the GEMM core reads in one cycle.
constexpr uint32_t inpReadElems(const HwParams& params) {
  return params.ext_depthwise ? static_cast<uint32_t>(params.depthwise_taps) : 1;
}

/// RAMs that they come from: consecutive elements are in different ones.
constexpr uint32_t inpReadBanks(const HwParams& params) {
  return std::bit_ceil(inpReadElems(params));
}

/// The channel of INP that multiplier `ic` of output `oc` takes, and which of the taps. Two outputs
/// that are neighbours share the inputs of a multiplier, so each takes half of its multipliers for
/// its own channel and half for the other's. With more outputs than inputs several outputs have the
/// same channel.
constexpr uint32_t depthwiseChannel(uint32_t oc, uint32_t ic, uint32_t block_in) {
  return oc % block_in / 2 * 2 + (ic >= block_in / 2 ? 1 : 0);
}
constexpr uint32_t depthwiseTap(uint32_t ic, uint32_t block_in) { return ic % (block_in / 2); }

/// The multiplier that takes tap `tap` of channel `channel`, of the outputs that have it.
constexpr uint32_t depthwiseMultiplier(uint32_t channel, uint32_t tap, uint32_t block_in) {
  return channel % 2 * (block_in / 2) + tap;
}

}  // namespace vta
