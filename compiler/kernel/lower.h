// Lowers a kernel to a program. Pure functions without global state: they are deterministic and may
// run in several threads at once.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/status.h"
#include "compiler/kernel/desc/kernel_desc.h"
#include "compiler/kernel/desc/schedule.h"
#include "isa/config/hw_config.h"
#include "isa/program/program.h"

namespace vta::kernel {

/// Where a kernel's data lie in the scratchpads. Neighbours in a chain of layers that start from
/// opposite ends can work side by side: the next layer loads while this one ends
/// (compiler/launch/overlap.h).
struct Placement {
  bool from_top = false;  // from the last element down instead of from the first up
};

/// Lowers one kernel. The program's buffers follow kernel_desc.h. It starts with a compute
/// instruction that waits for nothing where 0.0.2 compatibility asks for it, and ends with a FINISH
/// that waits for the last store. Errors: those of validateKernelDesc and checkSchedule
/// (plan/kernel_plan.h).
Result<Program> lower(const KernelDesc& desc, const Schedule& schedule, const HwConfig& hw,
                      const Placement& placement = {});

/// Contents of the identity-weight buffer (one WGT element: bo x bi identity, as wide as the
/// hardware's weights), for programs that declare kIdentityBuffer.
std::vector<int8_t> identityWeights(const HwConfig& hw);

/// Contents of the buffer kPaddingBuffer: one INP element with `pad_value` in every lane.
std::vector<int8_t> paddingElement(int64_t pad_value, const HwConfig& hw);

/// Contents of the buffer kTableBuffer for KernelDesc::table: 64 ACC elements, the words of the
/// hardware's table (isa/spec/lookup_table.h) in each lane.
std::vector<int32_t> tableWords(std::span<const int8_t> table, const HwConfig& hw);

}  // namespace vta::kernel
