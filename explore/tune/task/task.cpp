#include "explore/tune/task/task.h"

#include <algorithm>

#include "explore/tune/task/task_text.h"

namespace vta::tune {

std::vector<Task> makeTasks(std::span<const kernel::KernelDesc> kernels, const HwConfig& hw,
                            const sim::MemoryConfig& memory) {
  std::vector<Task> tasks;
  std::vector<std::string> workloads;
  for (const kernel::KernelDesc& desc : kernels) {
    const std::string workload = workloadText(desc);
    const auto known = std::ranges::find(workloads, workload);
    if (known == workloads.end()) {
      workloads.push_back(workload);
      tasks.push_back({desc, hw, memory, {desc.name}});
    } else {
      tasks[static_cast<size_t>(known - workloads.begin())].layers.push_back(desc.name);
    }
  }
  return tasks;
}

kernel::MemoryTraits memoryTraits(const sim::MemoryConfig& memory, const HwConfig& hw) {
  kernel::MemoryTraits traits;
  traits.outstanding_bursts = memory.outstanding;
  if (memory.kind == sim::MemoryKind::kSimple) {
    traits.latency_cycles = traits.least_latency_cycles = memory.simple.latency_cycles;
    traits.cycles_per_beat = static_cast<double>(memory.simple.beats_denominator) /
                             static_cast<double>(memory.simple.beats_numerator);
    return traits;
  }
  const sim::DdrTiming& t = memory.ddr;
  const double cycles_per_clock = hw.params().clockMhz() / t.clock_mhz;
  const double bytes_per_cycle = 2.0 * t.bus_bytes / cycles_per_clock;  // two transfers a clock
  traits.least_latency_cycles = memory.controller_latency_cycles;
  traits.latency_cycles = memory.controller_latency_cycles + (t.t_rcd + t.t_cl) * cycles_per_clock;
  const double bus_bytes = hw.params().axi_data_width_bits / 8.0;
  traits.shared_cycles_per_beat = bus_bytes / bytes_per_cycle;
  traits.cycles_per_beat = std::max(1.0, traits.shared_cycles_per_beat);
  return traits;
}

}  // namespace vta::tune
