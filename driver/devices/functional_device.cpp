#include "driver/devices/functional_device.h"

#include <utility>

#include "driver/device_registry.h"
#include "driver/devices/sim_results.h"

namespace vta::driver {
namespace {

UnitCounters unitCounters(const sim::UnitActivity& activity) {
  UnitCounters counters;
  counters.instructions = activity.instructions;
  counters.read_bytes = activity.read_bytes;
  counters.write_bytes = activity.write_bytes;
  return counters;
}

LaunchResult launchResult(sim::FunctionalRun run) {
  LaunchResult result;
  result.counters.fetch = unitCounters(run.activity.fetch);
  result.counters.load = unitCounters(run.activity.load);
  result.counters.compute = unitCounters(run.activity.compute);
  result.counters.store = unitCounters(run.activity.store);
  result.counters.gemm_uops = run.activity.gemm_uops;
  result.counters.alu_uops = run.activity.alu_uops;
  result.fault = std::move(run.fault);
  return result;
}

}  // namespace

Result<std::unique_ptr<Device>> FunctionalDevice::create(const HwConfig& hw,
                                                         const FunctionalDeviceOptions& options) {
  VTA_ASSIGN_OR_RETURN(std::unique_ptr<sim::FunctionalModel> model,
                       sim::FunctionalModel::create(hw, {.checked = options.checked}));
  VTA_ASSIGN_OR_RETURN(std::unique_ptr<SimMemory> memory,
                       SimMemory::create(options.memory_bytes, options.checked));
  const Capabilities capabilities = {
      .values = true, .cycles = false, .mappable_memory = true, .fixed_addresses = true};
  DeviceInfo info{options.checked ? "functional:checked" : "functional", hw, capabilities,
                  "The functional simulator has no notion of time, so it counts no cycles."};
  return std::unique_ptr<Device>(
      new FunctionalDevice(std::move(info), std::move(model), std::move(memory)));
}

FunctionalDevice::FunctionalDevice(DeviceInfo info, std::unique_ptr<sim::FunctionalModel> model,
                                   std::unique_ptr<SimMemory> memory)
    : ImmediateDevice(std::move(info), std::move(memory)), model_(std::move(model)) {}

LaunchResult FunctionalDevice::run(const Launch& launch, std::span<const std::byte> stream) {
  return launchResult(model_->run(stream, baseAddresses(launch), memory()));
}

void FunctionalDevice::resetModel() { model_->reset(); }

namespace {

Result<std::unique_ptr<Device>> createFromOptions(const DeviceOptions& options, const HwConfig& hw,
                                                  const DeviceProgress& /*progress*/) {
  FunctionalDeviceOptions parsed;
  parsed.checked = options.contains("checked");
  parsed.memory_bytes = sizeOption(options, "memory", parsed.memory_bytes);
  return FunctionalDevice::create(hw, parsed);
}

}  // namespace
}  // namespace vta::driver

// What a program that links this device names, so that the linker keeps it (CMakeLists.txt).
extern "C" {
extern const bool vta_device_functional;
const bool vta_device_functional = vta::driver::registerDevice(
    {.name = "functional",
     .description = "functional simulator: exact results, no timing",
     .options = {{"checked"}, {"memory", vta::driver::DeviceOption::Value::kSize}},
     .aliases = {{"checked", "checked", "values, and it looks for races and uninitialised reads"}},
     .is_simulator = true,
     .order = 0,
     .preference = 1,
     .create = vta::driver::createFromOptions});
}
