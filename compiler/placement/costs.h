// What operators cost: the one table from which placement decides what runs where and when.
//
// The unit is the time of one multiply-accumulate, 25 ps. That is a rate of 4e10 a second, which
// the VTA and a host share roughly: 16 x 16 lanes at 200 MHz reach 5.1e10, and 8-bit convolutions
// on two threads of an AVX-512 host 1.1e10 to 3.3e10 (table host_cpu of docs/performance.md). Costs
// only choose between orders that give the same results; none has to be exact.
#pragma once

#include <cstdint>

namespace vta::placement {

/// For each element of a result that is computed, in multiply-accumulates (0.4 ns). What the host
/// does besides multiplying, such as a requantisation, reads and writes memory and has several
/// operations an element. An estimate: bench_host_cpu, Element/clip, measures it.
inline constexpr int64_t kCostPerElem = 16;

/// For each element of a result that is only moved, in multiply-accumulates (0.1 ns). An
/// estimate: bench_host_cpu, Element/transpose, measures it.
inline constexpr int64_t kCostPerMovedElem = 4;

/// The least gain, in multiply-accumulates (0.1 ms), that is worth a host function of its own and
/// the launch that ends before it. An estimate of the fixed cost of a step and of a launch: waking
/// the thread that waits, binding buffers, the first tile that nothing overlaps with.
inline constexpr int64_t kWorthwhileCost = int64_t{1} << 22;

/// What it takes a board's processor to look one element up in a table of int8: loading and storing
/// it, with cache lines that the accelerator has written and will read. An estimate for an Arm
/// Cortex-A9 or A53, which boards with FPGAs have.
inline constexpr double kBoardTableNsPerElem = 25;
/// What a tensor that goes to the host and back costs besides: a launch that ends, and another one.
/// An estimate, as kWorthwhileCost is.
inline constexpr double kBoardCrossingNs = 200e3;

/// The cost of an operator with this many multiply-accumulates and elements of results.
constexpr int64_t operatorCost(int64_t macs, int64_t result_elems, bool only_moves) {
  return macs + result_elems * (only_moves ? kCostPerMovedElem : kCostPerElem);
}

}  // namespace vta::placement
