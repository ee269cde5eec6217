#include "compiler/kernel/loop_nest.h"

#include <cassert>
#include <utility>

namespace vta::kernel {
namespace {

constexpr uint32_t kHazardDistance = 3;

bool continues(const NestDim& outer, const NestDim& inner) {
  return outer.distinct == inner.distinct && outer.dst == inner.count * inner.dst &&
         outer.src == inner.count * inner.src && outer.wgt == inner.count * inner.wgt &&
         uint64_t{outer.count} * inner.count <= kMaxIterations;
}

// The smallest divisor of `count` that is at least kHazardDistance.
uint32_t smallestSafeDivisor(uint32_t count) {
  for (uint32_t d = kHazardDistance; d * d <= count; ++d) {
    if (count % d == 0) return d;
  }
  // No such divisor below the root: the largest proper divisor that is safe is count / 2, then
  // count.
  return count % 2 == 0 && count / 2 >= kHazardDistance ? count / 2 : count;
}

void removeDim(Nest& nest, int at) {
  for (int d = at; d + 1 < nest.num_dims; ++d) nest.dims[d] = nest.dims[d + 1];
  --nest.num_dims;
}

UopDim uopDim(uint32_t count, const NestDim& dim) {
  return {count, static_cast<uint16_t>(dim.dst), static_cast<uint16_t>(dim.src),
          static_cast<uint16_t>(dim.wgt)};
}

// Moves accumulators that differ out of `nest` to `innermost`: at least three of them in a row.
bool takeInnermost(Nest& nest, UopPattern& innermost) {
  int best = -1;
  uint32_t best_count = 0;
  uint32_t total = 1;
  for (int d = 0; d < nest.num_dims; ++d) {
    const NestDim& dim = nest.dims[d];
    if (!dim.distinct) continue;
    total *= dim.count;
    if (dim.count < kHazardDistance) continue;
    const uint32_t count = smallestSafeDivisor(dim.count);
    if (best < 0 || count < best_count) {
      best = d;
      best_count = count;
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
  if (total < kHazardDistance) return false;
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

NestDim takeLargest(Nest& nest) {
  int best = -1;
  for (int d = 0; d < nest.num_dims; ++d) {
    if (nest.dims[d].count > kMaxIterations) continue;
    if (best < 0 || nest.dims[d].count > nest.dims[best].count) best = d;
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

bool planNest(const Nest& nest, bool avoid_hazards, NestPlan& plan) {
  Nest rest;
  rest.num_dims = nest.num_dims;
  bool has_reduction = false;
  for (int d = 0; d < nest.num_dims; ++d) {
    rest.dims[d] = nest.dims[d];
    has_reduction |= !nest.dims[d].distinct;
  }
  UopPattern innermost;
  if (avoid_hazards && has_reduction && !takeInnermost(rest, innermost)) return false;

  plan.outer = takeLargest(rest);
  plan.inner = takeLargest(rest);
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

}  // namespace vta::kernel
