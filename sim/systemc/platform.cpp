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
  const int beat_bytes = hw.params().axi_data_width_bits / 8;
  VTA_ASSIGN_OR_RETURN(auto model,
                       MemoryModel::create(options.memory.value_or(options.timing), beat_bytes,
                                           hw.params().clockMhz(), hw.params().axi_ports));
  return std::unique_ptr<Platform>(
      new Platform(name, std::move(vta), memory, std::move(model), beat_bytes));
}

Platform::Platform(const std::string& name, std::unique_ptr<VtaModule> vta,
                   const PlatformMemoryParams& memory, std::unique_ptr<MemoryModel> model,
                   int beat_bytes)
    : irq_((name + "_irq").c_str()),
      vta_(std::move(vta)),
      memory_((name + "_memory").c_str(), memory, std::move(model), beat_bytes),
      cpu_((name + "_cpu").c_str(), memory.clock_period) {
  cpu_.socket.bind(vta_->registers);
  vta_->memory.bind(memory_.socket);
  vta_->irq(irq_);
  cpu_.irq(irq_);
}

const std::optional<PlatformOutcome>& Platform::run(const PlatformJob& job) {
  memory_.restart();
  cpu_.start(job);
  sc_core::sc_start();
  return cpu_.outcome();
}

}  // namespace vta::sim
