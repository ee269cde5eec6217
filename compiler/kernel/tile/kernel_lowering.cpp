#include "compiler/kernel/tile/kernel_lowering.h"

#include <algorithm>

namespace vta::kernel {
namespace {

constexpr int64_t kMaxReserve = 1 << 14;  // instructions

}  // namespace

KernelLowering::KernelLowering(const KernelDesc& desc, const Schedule& schedule, const HwConfig& hw,
                               const KernelPlan& plan)
    : context_(desc, schedule, hw, plan),
      order_(schedule, plan),
      emitters_(context_),
      pooling_(context_, emitters_.constants, emitters_.int8) {}

Program KernelLowering::run() {
  reserve();
  emitters_.constants.fillTable();
  const KernelPlan& plan = context_.plan;
  if (!plan.pipelined) {
    lowerInOrder();
  } else if (plan.method == Method::kGemm) {
    lowerGemmPipelined();
  } else {
    lowerPipelined();
  }
  return context_.emit.finish();
}

void KernelLowering::reserve() {
  const int64_t per_tile =
      4 * context_.plan.tiling.steps() + static_cast<int64_t>(emitters_.epilogue.size()) + 5;
  context_.emit.reserve(static_cast<size_t>(std::min(kMaxReserve, order_.count() * per_tile)));
}

// Tile after tile: for hardware whose compute unit does one thing at a time.
void KernelLowering::lowerInOrder() {
  const KernelPlan& plan = context_.plan;
  for (int64_t number = 0; number < order_.count(); ++number) {
    TileJob job = order_.job(number);
    emitters_.start.emitTile(job);
    for (int64_t id = 0; id < plan.tiling.steps(); ++id) {
      const Step step = order_.step(job, id);
      if (plan.method == Method::kGemm) emitters_.gemm.emitStep(job, step);
      if (plan.method == Method::kAluPool) {
        pooling_.loadInput(job, step);
        pooling_.emitStep(job, step);
      }
    }
    emitters_.epilogue.emitRest(job);
  }
}

// Instructions issue in order, but the engines work side by side. Behind the GEMMs of a tile come
// the load of its residual and the clearing of the next tile, which both run beside them. Then
// comes the rest of its epilogue, which runs beside the GEMMs of the next tile.
void KernelLowering::lowerGemmPipelined() {
  const int64_t count = order_.count();
  TileJob job = order_.job(0);
  emitters_.start.emitTile(job);
  for (int64_t number = 0; number < count; ++number) {
    for (int64_t id = 0; id < context_.plan.tiling.steps(); ++id) {
      emitters_.gemm.emitStep(job, order_.step(job, id));
    }
    if (emitters_.epilogue.startsWithLoad()) emitters_.epilogue.emitNext(job, 1);
    TileJob next;
    if (number + 1 < count) {
      next = order_.job(number + 1);
      emitters_.start.emitTile(next);
    }
    emitters_.epilogue.emitRest(job);
    job = next;
  }
}

// The same without GEMMs: what the ALU does to a tile is issued behind the loads of the next one.
void KernelLowering::lowerPipelined() {
  const KernelPlan& plan = context_.plan;
  const int64_t count = order_.count();
  TileJob last;
  for (int64_t number = 0; number < count; ++number) {
    TileJob job = order_.job(number);
    if (plan.method == Method::kAluPool) {
      pooling_.loadInput(job, makeStep(plan.geometry, plan.tiling, 0));
    } else {
      emitters_.start.emitTile(job);
    }
    if (number > 0) finishPipelined(last);
    last = job;
  }
  finishPipelined(last);
}

// What is left of a tile: the ALU work of a pooling, and the epilogue.
void KernelLowering::finishPipelined(TileJob& job) {
  const KernelPlan& plan = context_.plan;
  if (plan.method == Method::kAluPool) {
    emitters_.start.emitTile(job);
    pooling_.emitStep(job, makeStep(plan.geometry, plan.tiling, 0));
  }
  emitters_.epilogue.emitRest(job);
}

}  // namespace vta::kernel
