#include "compiler/kernel/plan/kernel_plan.h"

#include <fmt/format.h>

#include <algorithm>

#include "compiler/kernel/plan/planner.h"
#include "compiler/kernel/primitives/loop_nest.h"

namespace vta::kernel {
namespace {

constexpr int64_t kMaxSlots = 64;           // keeps slot look-ups short
constexpr int64_t kMaxSramElems = 1 << 16;  // sram_base has 16 bits

}  // namespace

int64_t usableDepth(const HwConfig& hw, MemoryType type) {
  return std::min<int64_t>(hw.depthElems(type), kMaxSramElems);
}

bool Planner::run() {
  plan_ = {};
  plan_.geometry = plan_.outputs = tiledGeometry(desc_, s_);
  choosePooling();
  if (!checkSizes()) return false;
  chooseMethod();
  plan_.tiling = makeTiling(plan_.outputs, s_);
  if (plan_.pool && !sizePooling()) return false;
  plan_.pipelined =
      hw_.params().concurrent_compute && !hw_.params().compat_0_0_2 && s_.virtual_threads > 1;
  chooseReset();
  const Tiling& t = plan_.tiling;
  if (t.pixels() > kMaxIterations) {
    return fail("loop iterations (tile_height x tile_width)", t.pixels(), kMaxIterations);
  }
  if (!planAcc()) return false;
  // Side by side, the bias of a tile and the other parameters of the one before are in use.
  if (plan_.pipelined && plan_.sram.param_mode != ParamMode::kResident) {
    plan_.begins_with_bias = false;
  }
  return planOperands() && checkTokens();
}

bool Planner::fail(const char* resource, int64_t need, int64_t limit) {
  failure_ = {resource, need, limit};
  return false;
}

bool Planner::checkSizes() {
  const int64_t group_out = g_.outBlocksPerGroup();
  for (const ScheduleField& field : scheduleFields()) {
    const int64_t value = field.get(s_);
    const int64_t most = field.extent ? field.extent(plan_.outputs) : field.most;
    if (value < field.least || value > most) {
      return fail(field.key, value, value < field.least ? field.least : most);
    }
  }
  if (s_.tile_out_blocks > group_out && s_.tile_out_blocks % group_out != 0) {
    return fail("tile_out_blocks modulo a group's blocks", s_.tile_out_blocks % group_out, 0);
  }
  if (!hasInt8Operands(desc_)) return true;
  if (s_.int8_through_gemm && hw_.blockIn() != hw_.blockOut()) {
    return fail("int8_through_gemm: block_in equal to block_out", hw_.blockIn(), hw_.blockOut());
  }
  if (!s_.int8_through_gemm && hw_.params().compat_0_0_2) {
    return fail("int8_through_gemm (no ACC_8BIT on 0.0.2 hardware)", 0, 1);
  }
  return true;
}

// A contraction's own pooling; and maximum pooling whose inputs the GEMM core puts where they are
// wanted, which makes it the pooling of a contraction with the identity.
void Planner::choosePooling() {
  Pool pool;
  const Geometry& g = desc_.geometry;
  if (desc_.pool) {
    pool = *desc_.pool;
  } else {
    if (desc_.kind != KernelKind::kMaxPool || !s_.int8_through_gemm || desc_.residual.has_value() ||
        !g.storesAll() || s_.tile_kernel_height != 0 || s_.tile_kernel_width != 0 ||
        g.dilation_y != 1 || g.dilation_x != 1) {
      return;
    }
    pool = {g.out_height, g.out_width, g.kernel_height, g.kernel_width,
            g.stride_y,   g.stride_x,  g.pad_top,       g.pad_left};
  }
  const int64_t in_height = desc_.pool ? g.out_height : g.in_height;
  const int64_t in_width = desc_.pool ? g.out_width : g.in_width;
  auto rows =
      makePoolAxis(in_height, pool.out_height, pool.kernel_height, pool.stride_y, pool.pad_top);
  auto cols =
      makePoolAxis(in_width, pool.out_width, pool.kernel_width, pool.stride_x, pool.pad_left);
  if ((!rows || !cols) && !desc_.pool && desc_.epilogue.empty() && pool.stride_y == 1 &&
      pool.stride_x == 1) {
    rows = makeSlidingAxis(in_height, pool.out_height, pool.kernel_height, pool.pad_top);
    cols = makeSlidingAxis(in_width, pool.out_width, pool.kernel_width, pool.pad_left);
  }
  if (!rows || !cols) return;
  plan_.pool = PoolPlan{*rows, *cols};
  if (!desc_.pool) {
    plan_.pool->pads_with_zero = g.pad_kind == PadKind::kZero;
    Geometry& identity = plan_.geometry;
    identity.out_height = g.in_height;
    identity.out_width = g.in_width;
    identity.kernel_height = identity.kernel_width = identity.stride_y = identity.stride_x = 1;
    identity.pad_top = identity.pad_left = identity.pad_bottom = identity.pad_right = 0;
    identity.pad_kind = PadKind::kZero;
  }
  plan_.outputs = plan_.geometry;
  plan_.outputs.out_height = pool.out_height;
  plan_.outputs.out_width = pool.out_width;
}

bool Planner::sizePooling() {
  Tiling& t = plan_.tiling;
  const PoolTileSize size = largestPoolTile(*plan_.pool, plan_.outputs, t);
  tile_elems_ = size.elems;
  t.area_height = size.height;
  t.area_width = size.width;
  const bool inner = s_.order == Schedule::Order::kWeightsInner && t.outTiles() > 1;
  plan_.pool->carries_all_blocks = inner;
  plan_.pool->carry_blocks = inner ? g_.out_channel_blocks : t.outBlocks();
  if (size.elems <= kMaxIterations) return true;
  return fail("loop iterations (accumulators of a tile)", size.elems, kMaxIterations);
}

void Planner::chooseMethod() {
  switch (desc_.kind) {
    case KernelKind::kContraction:
      plan_.method = Method::kGemm;
      break;
    case KernelKind::kSumPool:
      plan_.method = s_.int8_through_gemm ? Method::kGemm : Method::kAluPool;
      plan_.identity_weights = s_.int8_through_gemm;
      break;
    case KernelKind::kMaxPool:
      plan_.method = plan_.pool ? Method::kGemm : Method::kAluPool;
      plan_.identity_weights = plan_.pool.has_value();
      break;
    case KernelKind::kElementwise:
      plan_.method = Method::kElementwise;
      break;
  }
  if (!desc_.residual || !desc_.residual->steps.empty() || !s_.int8_through_gemm) return;
  for (const EpilogueStep& step : desc_.epilogue) {
    if (step.source == EpilogueStep::Source::kResidual) {
      plan_.residual_by_gemm = step.opcode == AluOpcode::kAdd;
    }
  }
}

// With engines that work side by side, clearing goes to the one with less to do.
void Planner::chooseReset() {
  const bool loads_tiles = plan_.method == Method::kElementwise && !s_.int8_through_gemm;
  plan_.begins_with_bias = desc_.bias_exceeds_results && !loads_tiles;
  if (!plan_.pipelined || plan_.method != Method::kGemm) return;
  const auto gemm = static_cast<double>(g_.inBlocksPerGroup() * g_.kernel_height * g_.kernel_width);
  auto alu = static_cast<double>(desc_.epilogue.size());
  if (desc_.residual) alu += static_cast<double>(desc_.residual->steps.size());
  // For each accumulator.
  if (plan_.pool) {
    alu = (alu + plan_.pool->aluPerOutput()) / static_cast<double>(plan_.pool->cellsPerOutput());
  }
  plan_.reset_by_alu = alu + 1 <= gemm;
}

// A unit may finish the filling or freeing of every slot before the next unit takes a token.
bool Planner::checkTokens() {
  const SramPlan& sram = plan_.sram;
  const int64_t need =
      std::max(sram.inp.count + sram.wgt.count + sram.staging.count, sram.acc.count);
  const int64_t limit = hw_.params().token_queue_depth;
  return need <= limit || fail("token queue depth", need, limit);
}

// Accumulators of the largest tile.
int64_t Planner::tileElems() const {
  return plan_.pool ? tile_elems_ : plan_.tiling.outBlocks() * plan_.tiling.pixels();
}

int64_t Planner::regionElems() const {
  const Tiling& t = plan_.tiling;
  return t.inBlocks() * t.regionRows(g_) * t.regionCols(g_);
}

int64_t Planner::depth(MemoryType type) const { return usableDepth(hw_, type); }

// Slots of one scratchpad, so that their tokens fit the queues.
int64_t Planner::maxSlots() const {
  const int64_t others = s_.virtual_threads;  // staging
  const int64_t half = (hw_.params().token_queue_depth - others) / 2;
  return std::max<int64_t>(s_.virtual_threads, std::min(kMaxSlots, half));
}

bool hasInt8Operands(const KernelDesc& desc) {
  return desc.kind != KernelKind::kContraction || desc.residual.has_value();
}

bool makePlan(const KernelDesc& desc, const Schedule& schedule, const HwConfig& hw,
              KernelPlan& plan, PlanFailure& failure) {
  return Planner(desc, schedule, hw, plan, failure).run();
}

Result<KernelPlan> planKernel(const KernelDesc& desc, const Schedule& schedule,
                              const HwConfig& hw) {
  KernelPlan plan;
  PlanFailure failure;
  if (makePlan(desc, schedule, hw, plan, failure)) return plan;
  return Status(
      StatusCode::kResourceExhausted,
      fmt::format("kernel '{}' with schedule '{}' does not fit '{}': {} is {}, the limit {}",
                  desc.name, schedule.toString(), hw.name(), failure.resource, failure.need,
                  failure.limit));
}

Status checkSchedule(const KernelDesc& desc, const Schedule& schedule, const HwConfig& hw) {
  VTA_RETURN_IF_ERROR(validateKernelDesc(desc, hw));
  return planKernel(desc, schedule, hw).status();
}

}  // namespace vta::kernel
