#include "compiler/kernel/plan/pool_choice.h"

#include "compiler/kernel/primitives/loop_nest.h"

namespace vta::kernel {
namespace {

// A kernel that is a maximum pooling by itself, as the pooling of accumulators.
Pool poolOf(const Geometry& g) {
  return {.out_height = g.out_height,
          .out_width = g.out_width,
          .kernel_height = g.kernel_height,
          .kernel_width = g.kernel_width,
          .stride_y = g.stride_y,
          .stride_x = g.stride_x,
          .pad_top = g.pad_top,
          .pad_left = g.pad_left};
}

// Whether the GEMM core can bring the inputs of a maximum pooling into ACC for a pooling in place.
bool mayPoolByIdentity(const KernelDesc& desc, const Schedule& schedule) {
  const Geometry& g = desc.geometry;
  return desc.kind == KernelKind::kMaxPool && schedule.int8_through_gemm && !desc.residual &&
         g.storesAll() && schedule.tile_kernel_height == 0 && schedule.tile_kernel_width == 0 &&
         g.dilation_y == 1 && g.dilation_x == 1;
}

// The contraction with the identity that copies the inputs of a pooling into accumulators.
void makeIdentity(Geometry& g) {
  g.out_height = g.in_height;
  g.out_width = g.in_width;
  g.kernel_height = g.kernel_width = g.stride_y = g.stride_x = 1;
  g.pad_top = g.pad_left = g.pad_bottom = g.pad_right = 0;
  g.pad_value = 0;
}

// Both axes of a pooling in place; nothing where one of them is impossible.
std::optional<PoolPlan> planPool(const Pool& pool, int64_t in_height, int64_t in_width,
                                 bool may_slide) {
  auto rows =
      makePoolAxis(in_height, pool.out_height, pool.kernel_height, pool.stride_y, pool.pad_top);
  auto cols =
      makePoolAxis(in_width, pool.out_width, pool.kernel_width, pool.stride_x, pool.pad_left);
  if ((!rows || !cols) && may_slide) {
    rows = makeSlidingAxis(in_height, pool.out_height, pool.kernel_height, pool.pad_top);
    cols = makeSlidingAxis(in_width, pool.out_width, pool.kernel_width, pool.pad_left);
  }
  if (!rows || !cols) return std::nullopt;
  return PoolPlan{.rows = *rows, .cols = *cols};
}

}  // namespace

void choosePool(const PlanContext& context) {
  const KernelDesc& desc = context.desc;
  const Geometry& g = desc.geometry;
  KernelPlan& plan = context.plan;
  Pool pool;
  if (desc.pool) {
    pool = *desc.pool;
    plan.pool = planPool(pool, g.out_height, g.out_width, false);
  } else if (mayPoolByIdentity(desc, context.schedule)) {
    pool = poolOf(g);
    const bool may_slide = desc.epilogue.empty() && pool.stride_y == 1 && pool.stride_x == 1;
    plan.pool = planPool(pool, g.in_height, g.in_width, may_slide);
    if (plan.pool) {
      plan.pool->pads_with_zero = g.pad_value == 0;
      makeIdentity(plan.geometry);
    }
  }
  if (!plan.pool) return;
  plan.outputs = plan.geometry;
  plan.outputs.out_height = pool.out_height;
  plan.outputs.out_width = pool.out_width;
}

bool sizeTiles(const PlanContext& context) {
  KernelPlan& plan = context.plan;
  Tiling& t = plan.tiling;
  if (!plan.pool) {
    plan.tile_elems = t.outBlocks() * t.pixels();
    return true;
  }
  const PoolTileSize size = largestPoolTile(*plan.pool, plan.outputs, t);
  plan.tile_elems = size.elems;
  t.area_height = size.height;
  t.area_width = size.width;
  const bool inner = context.schedule.order == Schedule::Order::kWeightsInner && t.outTiles() > 1;
  plan.pool->carries_all_blocks = inner;
  plan.pool->carry_blocks = inner ? plan.geometry.out_channel_blocks : t.outBlocks();
  if (size.elems <= kMaxIterations) return true;
  return context.fail("loop iterations (accumulators of a tile)", size.elems, kMaxIterations);
}

}  // namespace vta::kernel
