// KernelPlan: what computes a kernel, in which tiles, and where its data lie; and whether that
// fits.
#pragma once

#include <cstdint>
#include <optional>

#include "base/status.h"
#include "compiler/kernel/desc/kernel_desc.h"
#include "compiler/kernel/desc/pool_plan.h"
#include "compiler/kernel/desc/schedule.h"
#include "compiler/kernel/desc/tiling.h"
#include "compiler/kernel/plan/sram_plan.h"
#include "isa/config/hw_config.h"

namespace vta::kernel {

/// How the accumulators of a tile come about.
enum class Method : uint8_t {
  kGemm,         // reduction by GEMM: contractions; pooling with identity weights
  kAluPool,      // reduction by the ALU over inputs held in ACC
  kElementwise,  // the input itself
};

/// Everything the lowering derives before it emits.
struct KernelPlan {
  // What the GEMM core or the ALU reduces: the kernel's, or for maximum pooling in place a 1x1
  // contraction with the identity. `outputs` is the same with the pixels of the kernel's output.
  Geometry geometry;
  Geometry outputs;
  std::optional<PoolPlan> pool;  // of the accumulators, in place
  Tiling tiling;
  SramPlan sram;
  Method method = Method::kGemm;
  bool identity_weights = false;  // kGemm with the identity for every tap
  bool residual_by_gemm = false;  // the residual is accumulated by GEMM, without its own tile
  bool pipelined =
      false;  // engines work side by side: the ALU on one tile, GEMM or loads on the next
  // Tiles and steps turn round at the end of each pass, so that what lies in the scratchpads there
  // is used again: where loads, not the GEMM core, take the time.
  bool alternates = false;
  bool reset_by_alu = false;  // tiles are cleared by the ALU, which has time where GEMM has none
  // Tiles begin with the bias, by one MAX with what their slot holds; the first of each slot, where
  // anything may be, is cleared and gets the bias in its epilogue.
  bool begins_with_bias = false;
};

/// Why a schedule does not fit: `resource` needs `need` where `limit` is available.
struct PlanFailure {
  const char* resource = nullptr;
  int64_t need = 0;
  int64_t limit = 0;
};

/// True and `plan`, or false and `failure`. `desc` must be valid for `hw`. Allocates nothing: a
/// search calls it for every schedule of the space.
bool makePlan(const KernelDesc& desc, const Schedule& schedule, const HwConfig& hw,
              KernelPlan& plan, PlanFailure& failure);

/// The same for callers that report errors: they name resource, need and limit.
Result<KernelPlan> planKernel(const KernelDesc& desc, const Schedule& schedule, const HwConfig& hw);

/// Ok when `desc` is valid for `hw` and fits it with `schedule`. Errors: those of
/// validateKernelDesc and planKernel.
Status checkSchedule(const KernelDesc& desc, const Schedule& schedule, const HwConfig& hw);

/// How often a GEMM kernel's input and weights are loaded, parts of them counted as such.
struct OperandPasses {
  double inputs = 1;
  double weights = 1;
};
OperandPasses operandPasses(const KernelPlan& plan, Schedule::Order order);

/// Whether int8 operands other than a contraction's inputs occur at all.
bool hasInt8Operands(const KernelDesc& desc);

}  // namespace vta::kernel
