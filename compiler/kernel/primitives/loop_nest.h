// Affine loop nests of micro-ops and their mapping to one instruction's two loops and micro-ops.
#pragma once

#include <array>
#include <cstdint>

#include "compiler/kernel/primitives/uop_cache.h"
#include "isa/instruction/instruction.h"

namespace vta::kernel {

/// The largest loop count of a GEMM or ALU instruction (14 bits).
inline constexpr uint32_t kMaxIterations = (1u << 14) - 1;

/// Neighbouring accumulators that micro-ops take in turn, so that they go round the banks of ACC:
/// the low bits of an element's address choose its bank. This is not the number of banks
/// (`compute.acc_banks`) but one length for all hardware, so that the order of micro-ops does not
/// depend on the banks. It suits all legal numbers: a turn goes twice round two banks and once
/// round four; of eight it uses one half after the other, which still keeps GEMM core and ALU
/// apart.
inline constexpr uint32_t kBankTurn = 4;

/// One loop over micro-ops. `distinct` loops reach a different accumulator in every iteration;
/// the others (reductions) come back to the same ones.
struct NestDim {
  uint32_t count;
  uint32_t dst;
  uint32_t src;
  uint32_t wgt;
  bool distinct;
  bool operator==(const NestDim&) const = default;
};
inline constexpr NestDim kOneIteration = {1, 0, 0, 0, true};

/// Loops, outermost first, over micro-ops that start at `base`.
struct Nest {
  static constexpr int kMaxDims = 8;
  Uop base;
  int num_dims = 0;
  std::array<NestDim, kMaxDims> dims;  // the first num_dims count

  /// Adds an inner loop; loops of one iteration vanish, and a loop that continues the one around it
  /// is merged into it.
  void push(const NestDim& dim) {
    if (dim.count != 1) pushLoop(dim);
  }

 private:
  void pushLoop(const NestDim& dim);
};

/// A nest as one instruction: two hardware loops around a micro-op kernel.
struct NestPlan {
  NestDim outer = kOneIteration;
  NestDim inner = kOneIteration;
  UopPattern uops;
  uint32_t group = 1;  // innermost micro-ops that must stay together, for hazards
};

/// What the innermost micro-ops of a reduction must be like.
struct InnermostOrder {
  /// An accumulator is touched again only so many micro-ops later: always, or where the nest has
  /// enough accumulators.
  uint32_t required_distance = 1;
  uint32_t wanted_distance = 1;
  /// Innermost are neighbouring accumulators, four by four if possible: they go round the banks of
  /// ACC, in step with an ALU instruction that does the same.
  bool rotates_banks = false;
  /// Without reductions the inner loop is one over neighbouring accumulators, if there is one, so
  /// that GEMM core and ALU do not stay on one bank each.
  bool walks_neighbours = false;
};

/// Maps a nest to an instruction with the fewest micro-ops that `order` allows; false when no order
/// achieves the required distance, because the nest has fewer accumulators.
bool planNest(const Nest& nest, const InnermostOrder& order, NestPlan& plan);

/// Plans of recent nests: the tiles of a kernel repeat the same loops at other places.
class PlanCache {
 public:
  explicit PlanCache(const InnermostOrder& order) : order_(order) {}

  /// planNest, or what it said of the same loops before; null where it is false. Valid until the
  /// next call.
  const NestPlan* find(const Nest& nest);

 private:
  struct Entry {
    Nest nest;  // no loops: not used yet
    NestPlan plan;
    bool possible = false;
  };

  InnermostOrder order_;
  std::array<Entry, 16> entries_;  // one place for each nest, chosen by its loops
};

}  // namespace vta::kernel
