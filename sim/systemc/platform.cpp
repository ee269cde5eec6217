#include "sim/systemc/platform.h"

#include <utility>

namespace vta::sim {

Result<std::unique_ptr<Platform>> Platform::create(const std::string& name, const HwConfig& hw,
                                                   const PlatformOptions& options) {
  VTA_ASSIGN_OR_RETURN(
      auto vta, VtaModule::create((name + "_vta").c_str(), hw, options.timing, options.coding));
  PlatformMemoryParams memory;
  memory.address = options.memory_address;
  memory.size_bytes = options.memory_bytes;
  memory.clock_period = vta->clockPeriod();
  memory.beat_bytes = hw.params().axi_data_width_bits / 8;
  memory.latency_cycles = options.memory_latency_cycles;
  return std::unique_ptr<Platform>(new Platform(name, std::move(vta), memory));
}

Platform::Platform(const std::string& name, std::unique_ptr<VtaModule> vta,
                   const PlatformMemoryParams& memory)
    : irq_((name + "_irq").c_str()),
      vta_(std::move(vta)),
      memory_((name + "_memory").c_str(), memory),
      cpu_((name + "_cpu").c_str(), memory.clock_period) {
  cpu_.socket.bind(vta_->registers);
  vta_->memory.bind(memory_.socket);
  vta_->irq(irq_);
  cpu_.irq(irq_);
}

const std::optional<PlatformOutcome>& Platform::run(const PlatformJob& job) {
  cpu_.start(job);
  sc_core::sc_start();
  return cpu_.outcome();
}

}  // namespace vta::sim
