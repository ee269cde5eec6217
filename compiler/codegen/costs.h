// What operators cost: the unit in which back ends say it (compiler/codegen/backend.h), and what
// placement decides by.
//
// The unit is the time of one multiply-accumulate, 25 ps. That is a rate of 4e10 a second, which
// the VTA and hosts share roughly: 16 x 16 lanes at 200 MHz reach 5.1e10, and one thread of an
// AVX-512 host computes MobileNetV2 in int8, all of it, at 9.1e10 (table compare_cpu of
// docs/performance.md); processors of boards are slower. The blocked int8 kernels by themselves
// take a fifth of a unit or less on that host, so an element costs 4 to 90 of its
// multiply-accumulates; but the same unit has to count those of the VTA. Costs only choose between
// orders that give the same results; none has to be exact.
#pragma once

#include <cstdint>
#include <string>

namespace vta::codegen {

/// For each element of a result that is computed, in multiply-accumulates (0.4 ns). What the host
/// does besides multiplying reads and writes memory and has several operations an element. Measured
/// by scripts/benchmarking/cpu_costs.py, one thread of an AMD EPYC with AVX-512 VNNI: 6 units for a
/// requantisation, 19 for a product and a sum that are requantised; 15 for the requantised sums of
/// MobileNetV2.
inline constexpr int64_t kCostPerElem = 16;

/// For each element of a result that is only moved, in multiply-accumulates (0.1 ns). Measured in
/// the same way: 1 unit for a border, 2 for depth to space, 6 for a transposition of channels.
inline constexpr int64_t kCostPerMovedElem = 4;

/// The cost of an operator with this many multiply-accumulates and elements of results.
constexpr int64_t operatorCost(int64_t macs, int64_t result_elems, bool only_moves) {
  return macs + result_elems * (only_moves ? kCostPerMovedElem : kCostPerElem);
}

/// What a step of its own takes besides its operators, in multiply-accumulates (0.05 ms). An
/// estimate of a host function and of the launch that ends before it: waking the thread that waits,
/// binding buffers, the first tile that nothing overlaps with.
inline constexpr int64_t kCostPerStep = int64_t{1} << 21;

/// What moving a tensor from one memory to another takes.
struct TransferCost {
  int64_t latency = 0;  // whatever its size
  double per_byte = 0;

  int64_t of(int64_t bytes) const {
    return latency + static_cast<int64_t>(per_byte * static_cast<double>(bytes));
  }
  TransferCost operator+(const TransferCost& next) const {
    return {latency + next.latency, per_byte + next.per_byte};
  }
};

/// A row of a table of transfers: between the memories of two executors, by their names.
struct Transfer {
  std::string from;
  std::string to;
  TransferCost cost;
};

/// Where no table says it: 20 us, and 10 GB/s, in multiply-accumulates. An estimate of a copy
/// across PCI Express.
inline constexpr TransferCost kUnknownTransfer = {800'000, 4};

}  // namespace vta::codegen
