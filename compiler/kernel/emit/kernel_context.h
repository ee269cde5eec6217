// KernelContext: what all emitters of one kernel share.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "compiler/kernel/desc/kernel_desc.h"
#include "compiler/kernel/desc/schedule.h"
#include "compiler/kernel/emit/emitter.h"
#include "compiler/kernel/plan/kernel_plan.h"
#include "compiler/kernel/primitives/slot_cache.h"
#include "isa/config/hw_config.h"

namespace vta::kernel {

/// The slots of a range, all empty.
inline SlotCache makeSlotCache(const SlotRange& range) {
  return {range.base, range.elems, range.count, range.from_top};
}

/// Numbers of a program's DRAM buffers. Those that the kernel does not have stay 0 and are not
/// used.
struct KernelBuffers {
  uint32_t input = 0;
  uint32_t weight = 0;
  uint32_t param = 0;
  uint32_t residual = 0;
  uint32_t output = 0;
  uint32_t identity = 0;
  uint32_t table = 0;
  uint32_t padding = 0;
};

/// The place of a kernel in a program of several: what its buffers are called, and which it has.
struct KernelRole {
  std::string prefix = {};  // of its buffers' names
  bool has_input = true;
  bool has_output = true;
};

class RegionSupplier;  // compiler/kernel/tile/region_source.h

/// The kernel, its plan, and the program that grows. Each emitter keeps a reference to it, so it
/// must outlive them; it refers itself to the first four members, which outlive it.
struct KernelContext {
  /// Declares the buffers. `plan` must be makePlan's for the other arguments.
  KernelContext(const KernelDesc& kernel, const Schedule& how, const HwConfig& config,
                const KernelPlan& where);
  /// Of a kernel that is part of the program of `shared`, which outlives it.
  KernelContext(const KernelDesc& kernel, const Schedule& how, const HwConfig& config,
                const KernelPlan& where, Emitter& shared, const KernelRole& role);
  KernelContext(const KernelContext&) = delete;
  KernelContext& operator=(const KernelContext&) = delete;

  const KernelDesc& desc;
  const Schedule& schedule;
  const HwConfig& hw;
  const KernelPlan& plan;
  std::unique_ptr<Emitter> own_emit;  // null in a program of several kernels
  Emitter& emit;
  KernelBuffers buffers;
  RegionSupplier* supplier = nullptr;  // of the input's regions; null: LOADs

  /// Whether the ALU makes maxima of inputs in ACC, so that accumulators begin with the minimum.
  bool startsWithMinimum() const {
    return desc.kind == KernelKind::kMaxPool && plan.method == Method::kAluPool;
  }
};

}  // namespace vta::kernel
