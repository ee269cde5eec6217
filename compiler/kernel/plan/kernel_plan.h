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

/// What computes the accumulators of a tile.
enum class Method : uint8_t {
  kGemm,         // reduction by GEMM: contractions; pooling with identity weights
  kAluPool,      // reduction by the ALU over inputs held in ACC
  kElementwise,  // the input itself
};

/// Everything that the lowering derives before it emits.
struct KernelPlan {
  // The geometry that the GEMM core or the ALU reduces. It is the kernel's (tiledGeometry), or for
  // a maximum pooling in place that of a 1x1 contraction with the identity. `outputs` is the same
  // with the pixels of the kernel's output.
  Geometry geometry;
  Geometry outputs;
  std::optional<PoolPlan> pool;  // how accumulators are pooled in place, if they are
  Tiling tiling;
  int64_t tile_elems = 0;  // accumulators of the largest tile
  SramPlan sram;
  Method method = Method::kGemm;
  bool identity_weights = false;  // kGemm with the identity for every tap
  bool residual_by_gemm = false;  // the residual is accumulated by GEMM, without its own tile
  // Engines work side by side: the ALU on one tile, GEMM or loads on the next.
  bool pipelined = false;
  // Tiles and steps turn round at the end of each pass, so that the next pass uses again what lies
  // in the scratchpads. This saves loads where they take as long as the GEMM core.
  bool alternates = false;
  bool reset_by_alu = false;  // the ALU clears tiles, because it has less to do than the GEMM core
  // Tiles begin with the bias: one MAX of the bias with what their slot holds. A slot may hold
  // anything before its first tile, so that tile is cleared and gets the bias in its epilogue.
  bool begins_with_bias = false;
  // The first GEMM of a tile assigns: nothing is cleared (Geometry::folds).
  bool gemm_assigns = false;
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

/// The same with part of the scratchpads: their first elements.
bool makePlan(const KernelDesc& desc, const Schedule& schedule, const HwConfig& hw,
              const SramRoom& room, KernelPlan& plan, PlanFailure& failure);

/// The same for callers that report errors: they name resource, need and limit.
Result<KernelPlan> planKernel(const KernelDesc& desc, const Schedule& schedule, const HwConfig& hw);
Result<KernelPlan> planKernel(const KernelDesc& desc, const Schedule& schedule, const HwConfig& hw,
                              const SramRoom& room);

/// Ok when `desc` is valid for `hw` and fits it with `schedule`. Errors: those of
/// validateKernelDesc and planKernel.
Status checkSchedule(const KernelDesc& desc, const Schedule& schedule, const HwConfig& hw);

/// How often the input and the weights of a GEMM kernel are loaded. Where only parts are loaded
/// again, the numbers are not whole.
struct OperandPasses {
  double inputs = 1;
  double weights = 1;
};
OperandPasses operandPasses(const KernelPlan& plan, Schedule::Order order);

/// Whether the kernel has int8 operands that go to ACC: inputs of anything but a contraction, or a
/// residual.
bool hasInt8Operands(const KernelDesc& desc);

}  // namespace vta::kernel
