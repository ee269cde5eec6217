#include "driver/devices/cycle_device.h"

#include <fmt/format.h>

#include <utility>

#include "driver/device_registry.h"
#include "driver/devices/sim_results.h"

namespace vta::driver {
namespace {

// Without values there is no functional model to find these faults first.
bool preferFunctional(const std::optional<Fault>& functional, const std::optional<Fault>& timing) {
  return functional && (!timing || (functional->kind == timing->kind &&
                                    functional->instruction == timing->instruction));
}

}  // namespace

Result<std::unique_ptr<Device>> CycleDevice::create(const HwConfig& hw,
                                                    const CycleDeviceOptions& options) {
  VTA_ASSIGN_OR_RETURN(std::unique_ptr<sim::CycleModel> timing,
                       sim::CycleModel::create(hw, options.dram));
  std::unique_ptr<sim::FunctionalModel> values;
  if (!options.timing_only) {
    VTA_ASSIGN_OR_RETURN(values, sim::FunctionalModel::create(hw));
  }
  VTA_ASSIGN_OR_RETURN(std::unique_ptr<SimMemory> memory,
                       SimMemory::create(options.memory_bytes, false, kTimedGuardBytes));
  const Capabilities capabilities = {.values = !options.timing_only,
                                     .cycles = true,
                                     .mappable_memory = true,
                                     .fixed_addresses = true};
  DeviceInfo info{options.timing_only ? "cycle:timing-only" : "cycle", hw, capabilities,
                  options.timing_only ? "With timing-only, no values are computed or stored." : ""};
  return std::unique_ptr<Device>(
      new CycleDevice(std::move(info), std::move(timing), std::move(values), std::move(memory)));
}

CycleDevice::CycleDevice(DeviceInfo info, std::unique_ptr<sim::CycleModel> timing,
                         std::unique_ptr<sim::FunctionalModel> values,
                         std::unique_ptr<SimMemory> memory)
    : ImmediateDevice(std::move(info), std::move(memory)),
      timing_(std::move(timing)),
      values_(std::move(values)) {}

LaunchResult CycleDevice::run(const Launch& launch, std::span<const std::byte> stream) {
  if (std::optional<Fault> fault = checkAlignment(launch, hw())) {
    return {{}, std::move(fault), nullptr};
  }
  const sim::BaseAddresses bases = baseAddresses(launch);
  const bool is_traced = tracing_ != Tracing::kOff;
  Recording recording;
  recording.with_bursts = tracing_ == Tracing::kAll;
  // Time first: it reads micro-ops, which the program itself could overwrite.
  const sim::TimingResult timing = timing_->run(stream, launch.instruction_address, bases, memory(),
                                                is_traced ? &recording : nullptr);
  LaunchResult result;
  result.counters = timing.counters;
  std::optional<Fault> fault = timing.fault;
  if (values_) {
    const sim::FunctionalRun values = values_->run(stream, bases, memory());
    if (preferFunctional(values.fault, timing.fault)) fault = values.fault;
  }
  result.fault = std::move(fault);
  if (is_traced) result.trace = std::make_shared<const Recording>(std::move(recording));
  return result;
}

void CycleDevice::resetModel() {
  timing_->reset();
  if (values_) values_->reset();
}

Status CycleDevice::setTracing(Tracing tracing) {
  tracing_ = tracing;
  return {};
}

namespace {

Result<CycleDeviceOptions> parseOptions(const DeviceOptions& options) {
  CycleDeviceOptions parsed;
  parsed.timing_only = options.contains("timing-only");
  if (const auto dram = options.find("dram"); dram != options.end()) {
    VTA_ASSIGN_OR_RETURN(parsed.dram, sim::resolveMemoryConfig(dram->second));
  }
  parsed.memory_bytes = sizeOption(options, "memory", parsed.memory_bytes);
  return parsed;
}

Status checkOptions(const DeviceOptions& options) { return parseOptions(options).status(); }

Result<std::unique_ptr<Device>> createFromOptions(const DeviceOptions& options, const HwConfig& hw,
                                                  const DeviceProgress& /*progress*/) {
  VTA_ASSIGN_OR_RETURN(const CycleDeviceOptions parsed, parseOptions(options));
  return CycleDevice::create(hw, parsed);
}

}  // namespace
}  // namespace vta::driver

// What a program that links this device names, so that the linker keeps it (CMakeLists.txt).
extern "C" {
extern const bool vta_device_cycle;
const bool vta_device_cycle = vta::driver::registerDevice(
    {.name = "cycle",
     .description = "cycle simulator: exact results, exact cycle counts",
     .options = {{"timing-only"},
                 {"dram", vta::driver::DeviceOption::Value::kText, vta::sim::builtinMemoryNames},
                 {"memory", vta::driver::DeviceOption::Value::kSize}},
     .aliases = {},
     .is_simulator = true,
     .records_events = true,
     .order = 1,
     .preference = 2,
     .check = vta::driver::checkOptions,
     .create = vta::driver::createFromOptions});
}
