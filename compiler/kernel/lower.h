// The kernel half's entry points: schedule space, analytic default, lowering. Pure functions, no
// global state, thread-safe and deterministic.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/status.h"
#include "compiler/kernel/desc/kernel_desc.h"
#include "isa/config/hw_config.h"
#include "program/program.h"

namespace vta::kernel {

/// How a kernel is run: data, not code. Tile sizes count output pixels or channel blocks.
struct Schedule {
  int64_t tile_height = 1;
  // With tile_height 1, a pointwise kernel's image is one row: up to all of its pixels.
  int64_t tile_width = 1;
  int64_t tile_out_blocks = 1;
  int64_t tile_in_blocks = 1;  // input-channel blocks of one reduction step
  // Kernel rows and columns of one reduction step; 0 stands for the whole kernel.
  int64_t tile_kernel_height = 0;
  int64_t tile_kernel_width = 0;
  int virtual_threads = 2;  // 1: no latency hiding; 2: double-buffered slots
  enum class Order : uint8_t {
    kWeightsInner,  // for each pixel tile, walk output-channel tiles: inputs stay resident
    kWeightsOuter,  // for each output-channel tile, walk pixel tiles: weights stay resident
  };
  Order order = Order::kWeightsInner;
  // Pooling, elementwise and residual operands: through the INP buffer and an identity GEMM (the
  // load unit works ahead), or by ACC_8BIT loads (less compute, but in the compute queue).
  bool int8_through_gemm = true;
  // Zero padding of GEMM reductions: left out, which saves its multiplications and takes more
  // instructions at the borders, or loaded as zeros.
  bool skip_padding = false;

  bool operator==(const Schedule&) const = default;
  std::string toString()
      const;  // "h=14 w=14 oc=4 ic=1 kh=0 kw=0 vt=2 order=... int8=gemm pad=load"
};

/// Ok when `desc` with `schedule` fits `hw`; otherwise an error naming resource, need and limit.
Status checkSchedule(const KernelDesc& desc, const Schedule& schedule, const HwConfig& hw);

/// Every legal schedule of the space, in a deterministic order.
std::vector<Schedule> enumerateSchedules(const KernelDesc& desc, const HwConfig& hw);

/// The `count` schedules that the cost model ranks best, or as many as there are, the best first;
/// none if the kernel is invalid or does not fit `hw`.
std::vector<Schedule> rankedSchedules(const KernelDesc& desc, const HwConfig& hw, size_t count);

/// The analytic default: the schedule the cost model ranks best. Errors only if the kernel cannot
/// run on `hw` at all; the message names the resource.
Result<Schedule> defaultSchedule(const KernelDesc& desc, const HwConfig& hw);

/// Ok when some schedule of the kernel fits `hw`: defaultSchedule's errors at little cost.
Status checkRunnable(const KernelDesc& desc, const HwConfig& hw);

/// Where a kernel's data lie in the scratchpads. Neighbours in a chain of layers that start from
/// opposite ends can work side by side: the next layer loads while this one ends
/// (program/overlap.h).
struct Placement {
  bool from_top = false;  // from the last element down instead of from the first up
};

/// Lowers one kernel. The program's buffers follow kernel_desc.h. It starts with a compute
/// instruction that waits for nothing where 0.0.2 compatibility asks for it, and ends with a FINISH
/// that waits for the last store. Errors: those of validateKernelDesc and checkSchedule.
Result<Program> lower(const KernelDesc& desc, const Schedule& schedule, const HwConfig& hw,
                      const Placement& placement = {});

/// Contents of the identity-weight buffer (one WGT element: bo x bi identity), for programs that
/// declare kIdentityBuffer.
std::vector<int8_t> identityWeights(const HwConfig& hw);

}  // namespace vta::kernel
