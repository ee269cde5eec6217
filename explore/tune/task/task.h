// Task: a kernel to find a schedule for, on one accelerator with one memory.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "compiler/kernel/desc/kernel_desc.h"
#include "compiler/kernel/desc/memory_traits.h"
#include "isa/config/hw_config.h"
#include "sim/memory/memory_config.h"

namespace vta::tune {

struct Task {
  kernel::KernelDesc desc;  // with the name of its first layer
  HwConfig hw;
  sim::MemoryConfig memory;
  std::vector<std::string> layers;  // names of all layers that are this task
};

/// The distinct tasks of a model's kernels, in the order of their first layers.
std::vector<Task> makeTasks(std::span<const kernel::KernelDesc> kernels, const HwConfig& hw,
                            const sim::MemoryConfig& memory);

/// What estimates know of `memory` behind the bus of `hw`: exact for the simple model. Of a DDR
/// memory, `cycles_per_beat` and `least_latency_cycles` are those of an open row, which no access
/// beats, and `latency_cycles` is that of a closed one.
kernel::MemoryTraits memoryTraits(const sim::MemoryConfig& memory, const HwConfig& hw);

}  // namespace vta::tune
