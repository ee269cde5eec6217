#include "compiler/kernel/plan/kernel_plan.h"

#include <fmt/format.h>

#include <algorithm>

#include "compiler/kernel/plan/acc_planner.h"
#include "compiler/kernel/plan/operand_planner.h"
#include "compiler/kernel/plan/plan_context.h"
#include "compiler/kernel/plan/pool_choice.h"
#include "compiler/kernel/primitives/loop_nest.h"

namespace vta::kernel {
namespace {

// Whether the sizes of the schedule are possible for the kernel and the hardware.
bool checkSizes(const PlanContext& context) {
  const Schedule& schedule = context.schedule;
  const Geometry& outputs = context.plan.outputs;
  for (const ScheduleField& field : scheduleFields()) {
    const int64_t value = field.get(schedule);
    const int64_t most = field.extent != nullptr ? field.extent(outputs) : field.most;
    if (value < field.least) return context.fail(field.key, value, field.least);
    if (value > most) return context.fail(field.key, value, most);
  }
  const int64_t group_out = outputs.outBlocksPerGroup();
  const int64_t rest = schedule.tile_out_blocks % group_out;
  if (schedule.tile_out_blocks > group_out && rest != 0) {
    return context.fail("tile_out_blocks modulo a group's blocks", rest, 0);
  }
  return true;
}

// A depthwise GEMM takes a kernel row at once, with the padding that LOADs make.
bool checkFolding(const PlanContext& context) {
  const Geometry& g = context.plan.outputs;
  const Tiling& t = context.plan.tiling;
  if (!g.folds()) return true;
  if (t.steps_ky * t.steps_kx > 1) {
    return context.fail("steps of a depthwise kernel's taps", t.steps_ky * t.steps_kx, 1);
  }
  return !context.schedule.skip_padding || context.fail("skip_padding of a depthwise kernel", 1, 0);
}

// The products of all taps of some input blocks are summed up before those of the next ones.
bool checkFactors(const PlanContext& context) {
  const int64_t size = context.desc.factor_blocks;
  const Tiling& t = context.plan.tiling;
  if (size == 0 || t.steps_ky * t.steps_kx == 1 || size % t.group_in_blocks == 0) return true;
  return context.fail("factor_blocks modulo tile_in_blocks, with taps in several steps",
                      size % t.group_in_blocks, 0);
}

// Whether int8 operands can take the way to ACC that the schedule chooses.
bool checkInt8Operands(const PlanContext& context) {
  const HwConfig& hw = context.hw;
  if (!hasInt8Operands(context.desc)) return true;
  if (context.schedule.int8_through_gemm && hw.blockIn() != hw.blockOut()) {
    return context.fail("int8_through_gemm: block_in equal to block_out", hw.blockIn(),
                        hw.blockOut());
  }
  if (!context.schedule.int8_through_gemm && hw.params().compat_0_0_2) {
    return context.fail("int8_through_gemm (no ACC_8BIT on 0.0.2 hardware)", 0, 1);
  }
  return true;
}

// GEMM core or ALU.
void chooseMethod(const PlanContext& context) {
  const KernelDesc& desc = context.desc;
  const bool through_gemm = context.schedule.int8_through_gemm;
  KernelPlan& plan = context.plan;
  switch (desc.kind) {
    case KernelKind::kContraction:
      plan.method = Method::kGemm;
      break;
    case KernelKind::kSumPool:
      plan.method = through_gemm ? Method::kGemm : Method::kAluPool;
      plan.identity_weights = through_gemm;
      break;
    case KernelKind::kMaxPool:
      plan.method = plan.pool ? Method::kGemm : Method::kAluPool;
      plan.identity_weights = plan.pool.has_value();
      break;
    case KernelKind::kElementwise:
      plan.method = Method::kElementwise;
      break;
  }
  const bool is_plain_tile = desc.residual && desc.residual->steps.empty() &&
                             !desc.residual_per_image && desc.residualUses() == 1;
  if (!is_plain_tile || !through_gemm) return;
  for (const EpilogueStep& step : desc.epilogue) {
    if (step.source == EpilogueStep::Source::kResidual) {
      plan.residual_by_gemm = step.opcode == AluOpcode::kAdd;
    }
  }
}

// How tiles get their first value. With engines that work side by side, clearing goes to the one
// that has less to do.
void chooseStart(const PlanContext& context) {
  KernelPlan& plan = context.plan;
  plan.gemm_assigns = plan.geometry.folds();
  if (plan.gemm_assigns) return;
  const bool loads_tiles =
      plan.method == Method::kElementwise && !context.schedule.int8_through_gemm;
  plan.begins_with_bias = context.desc.bias_exceeds_results && !loads_tiles;
  if (!plan.pipelined || plan.method != Method::kGemm) return;
  const Geometry& g = plan.geometry;
  const auto gemm = static_cast<double>(g.inBlocksPerGroup() * g.weightElems());
  double alu = context.epilogueOperations();
  // From operations for each output to operations for each accumulator.
  if (plan.pool) {
    alu = (alu + plan.pool->aluPerOutput()) / static_cast<double>(plan.pool->cellsPerOutput());
  }
  plan.reset_by_alu = (alu + 1) * context.hw.params().alu_passes <= gemm;
}

// A unit may finish the filling or freeing of every slot before the next unit takes a token.
bool checkTokens(const PlanContext& context) {
  const SramPlan& sram = context.plan.sram;
  const int64_t need =
      std::max(sram.inp.count + sram.wgt.count + sram.staging.count, sram.acc.count);
  const int64_t limit = context.hw.params().token_queue_depth;
  return need <= limit || context.fail("token queue depth", need, limit);
}

bool checkTilePixels(const PlanContext& context) {
  const int64_t pixels = context.plan.tiling.pixels();
  if (pixels <= kMaxIterations) return true;
  return context.fail("loop iterations (tile_height x tile_width)", pixels, kMaxIterations);
}

}  // namespace

bool hasInt8Operands(const KernelDesc& desc) {
  return desc.kind != KernelKind::kContraction || desc.residual.has_value();
}

bool makePlan(const KernelDesc& desc, const Schedule& schedule, const HwConfig& hw,
              KernelPlan& plan, PlanFailure& failure) {
  return makePlan(desc, schedule, hw, wholeSram(hw), plan, failure);
}

bool makePlan(const KernelDesc& desc, const Schedule& schedule, const HwConfig& hw,
              const SramRoom& room, KernelPlan& plan, PlanFailure& failure) {
  const PlanContext context{desc, schedule, hw, room, plan, failure};
  plan = {};
  plan.geometry = plan.outputs = tiledGeometry(desc, schedule);
  choosePool(context);
  if (!checkSizes(context) || !checkInt8Operands(context)) return false;
  chooseMethod(context);
  plan.tiling = makeTiling(plan.outputs, schedule);
  if (!checkFolding(context) || !checkFactors(context) || !sizeTiles(context)) return false;
  plan.pipelined =
      hw.params().concurrent_compute && !hw.params().compat_0_0_2 && schedule.virtual_threads > 1;
  chooseStart(context);
  if (!checkTilePixels(context) || !AccPlanner(context).run()) return false;
  // Side by side, the bias of a tile and the other parameters of the tile before are in use.
  if (plan.pipelined && plan.sram.param_mode != ParamMode::kResident) {
    plan.begins_with_bias = false;
  }
  return OperandPlanner(context).run() && checkTokens(context);
}

Result<KernelPlan> planKernel(const KernelDesc& desc, const Schedule& schedule,
                              const HwConfig& hw) {
  return planKernel(desc, schedule, hw, wholeSram(hw));
}

Result<KernelPlan> planKernel(const KernelDesc& desc, const Schedule& schedule, const HwConfig& hw,
                              const SramRoom& room) {
  KernelPlan plan;
  PlanFailure failure;
  if (makePlan(desc, schedule, hw, room, plan, failure)) return plan;
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
