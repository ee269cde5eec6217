#include "compiler/kernel/primitives/loop_nest.h"

#include <algorithm>
#include <cassert>
#include <utility>

namespace vta::kernel {
namespace {

bool continues(const NestDim& outer, const NestDim& inner) {
  return outer.distinct == inner.distinct && outer.dst == inner.count * inner.dst &&
         outer.src == inner.count * inner.src && outer.wgt == inner.count * inner.wgt &&
         uint64_t{outer.count} * inner.count <= kMaxIterations;
}

// The smallest divisor of `count` that is at least `distance` and a multiple of `multiple`; `count`
// if there is none.
uint32_t smallestDivisor(uint32_t count, uint32_t distance, uint32_t multiple) {
  uint32_t best = count;
  for (uint32_t d = 1; d * d <= count; ++d) {
    if (count % d != 0) continue;
    for (const uint32_t divisor : {d, count / d}) {
      if (divisor >= distance && divisor % multiple == 0) best = std::min(best, divisor);
    }
  }
  return best;
}

void removeDim(Nest& nest, int at) {
  for (int d = at; d + 1 < nest.num_dims; ++d) nest.dims[d] = nest.dims[d + 1];
  --nest.num_dims;
}

UopDim uopDim(uint32_t count, const NestDim& dim) {
  return {count, static_cast<uint16_t>(dim.dst), static_cast<uint16_t>(dim.src),
          static_cast<uint16_t>(dim.wgt)};
}

// How well `count` iterations of `dim` serve as innermost run: fewer are better, but first of all
// they go round the banks.
uint64_t runCost(const NestDim& dim, uint32_t count, bool rotates_banks) {
  const bool rotates = dim.dst == 1 && count % kBankTurn == 0;
  const uint64_t penalty = !rotates_banks || rotates ? 0 : dim.dst == 1 ? 1 : 2;
  return penalty << 32 | count;
}

// Moves accumulators that differ out of `nest` to `innermost`: at least `distance` of them in a
// row.
bool takeInnermost(Nest& nest, uint32_t distance, bool rotates_banks, UopPattern& innermost) {
  int best = -1;
  uint32_t best_count = 0;
  uint64_t best_cost = 0;
  uint32_t total = 1;
  for (int d = 0; d < nest.num_dims; ++d) {
    const NestDim& dim = nest.dims[d];
    if (!dim.distinct) continue;
    total *= dim.count;
    if (dim.count < distance) continue;
    const bool rotates = rotates_banks && dim.dst == 1 && dim.count % kBankTurn == 0;
    const uint32_t count = smallestDivisor(dim.count, distance, rotates ? kBankTurn : 1);
    const uint64_t cost = runCost(dim, count, rotates_banks);
    if (best < 0 || cost < best_cost) {
      best = d;
      best_count = count;
      best_cost = cost;
    }
  }
  if (best >= 0) {
    NestDim& dim = nest.dims[best];
    innermost.push(uopDim(best_count, dim));
    dim.count /= best_count;
    dim.dst *= best_count;
    dim.src *= best_count;
    dim.wgt *= best_count;
    if (dim.count == 1) removeDim(nest, best);
    return true;
  }
  if (total < distance) return false;
  for (int d = 0; d < nest.num_dims;) {
    if (nest.dims[d].distinct) {
      innermost.push(uopDim(nest.dims[d].count, nest.dims[d]));
      removeDim(nest, d);
    } else {
      ++d;
    }
  }
  return true;
}

// The longest loop; `neighbours`: rather one over neighbouring accumulators.
NestDim takeLargest(Nest& nest, bool neighbours) {
  int best = -1;
  bool best_rotates = false;
  for (int d = 0; d < nest.num_dims; ++d) {
    const NestDim& dim = nest.dims[d];
    if (dim.count > kMaxIterations) continue;
    const bool rotates = neighbours && dim.dst == 1 && dim.count >= kBankTurn;
    const bool better =
        best < 0 || (rotates == best_rotates ? dim.count > nest.dims[best].count : rotates);
    if (!better) continue;
    best = d;
    best_rotates = rotates;
  }
  if (best < 0) return kOneIteration;
  const NestDim dim = nest.dims[best];
  removeDim(nest, best);
  return dim;
}

}  // namespace

void Nest::pushLoop(const NestDim& dim) {
  if (num_dims > 0 && continues(dims[num_dims - 1], dim)) {
    const uint32_t count = dims[num_dims - 1].count * dim.count;
    dims[num_dims - 1] = dim;
    dims[num_dims - 1].count = count;
    return;
  }
  assert(num_dims < kMaxDims);
  dims[num_dims++] = dim;
}

bool planNest(const Nest& nest, const InnermostOrder& order, NestPlan& plan) {
  Nest rest;
  rest.num_dims = nest.num_dims;
  bool has_reduction = false;
  for (int d = 0; d < nest.num_dims; ++d) {
    rest.dims[d] = nest.dims[d];
    has_reduction |= !nest.dims[d].distinct;
  }
  UopPattern innermost;
  if (has_reduction && order.wanted_distance > 1) {
    const auto take = [&](uint32_t distance) {
      return takeInnermost(rest, distance, order.rotates_banks, innermost);
    };
    if (!take(order.wanted_distance) && order.required_distance > 1 &&
        !take(order.required_distance)) {
      return false;
    }
  }

  // The longer loop inside: an operand that stays the same there is read once.
  plan.inner = takeLargest(rest, order.walks_neighbours && innermost.num_dims == 0);
  plan.outer = takeLargest(rest, false);
  plan.uops.base = nest.base;
  plan.uops.num_dims = 0;
  for (int d = 0; d < rest.num_dims; ++d) plan.uops.push(uopDim(rest.dims[d].count, rest.dims[d]));
  plan.group = 1;
  for (int d = 0; d < innermost.num_dims; ++d) {
    plan.uops.push(innermost.dims[d]);
    plan.group *= innermost.dims[d].count;
  }
  plan.uops.first = 0;
  plan.uops.count = 1;
  for (int d = 0; d < plan.uops.num_dims; ++d) plan.uops.count *= plan.uops.dims[d].count;
  return true;
}

const NestPlan* PlanCache::find(const Nest& nest) {
  uint32_t hash = nest.num_dims;
  for (int d = 0; d < nest.num_dims; ++d) {
    const NestDim& dim = nest.dims[d];
    hash = (hash * 31 + dim.count) * 31 + (dim.dst ^ dim.src << 4 ^ dim.wgt << 8);
  }
  Entry& entry = entries_[(hash * 0x9e3779b9u) >> 28];
  const bool known =
      nest.num_dims > 0 && entry.nest.num_dims == nest.num_dims &&
      std::equal(nest.dims.begin(), nest.dims.begin() + nest.num_dims, entry.nest.dims.begin());
  if (!known) {
    entry.nest = nest;
    entry.possible = planNest(nest, order_, entry.plan);
  }
  entry.plan.uops.base = nest.base;
  return entry.possible ? &entry.plan : nullptr;
}

}  // namespace vta::kernel
