#include "driver/devices/functional_device.h"

#include <utility>

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

LaunchResult launchResult(sim::RunResult run) {
  LaunchResult result;
  result.counters.fetch = unitCounters(run.activity.fetch);
  result.counters.load = unitCounters(run.activity.load);
  result.counters.compute = unitCounters(run.activity.compute);
  result.counters.store = unitCounters(run.activity.store);
  result.counters.gemm_uops = run.activity.gemm_uops;
  result.counters.alu_uops = run.activity.alu_uops;
  if (run.fault) result.fault = deviceFault(*std::move(run.fault));
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
    : info_(std::move(info)), model_(std::move(model)), memory_(std::move(memory)) {}

Result<DeviceBuffer> FunctionalDevice::allocate(uint64_t size_bytes, uint64_t alignment_bytes) {
  return memory_->allocate(size_bytes, alignment_bytes);
}

Result<DeviceBuffer> FunctionalDevice::allocateAt(uint64_t address, uint64_t size_bytes) {
  return memory_->allocateAt(address, size_bytes);
}

Status FunctionalDevice::free(const DeviceBuffer& buffer) { return memory_->free(buffer); }

Status FunctionalDevice::write(uint64_t address, std::span<const std::byte> data) {
  return memory_->write(address, data);
}

Status FunctionalDevice::read(uint64_t address, std::span<std::byte> data) {
  return memory_->read(address, data);
}

std::byte* FunctionalDevice::map(const DeviceBuffer& buffer) { return memory_->map(buffer); }

Status FunctionalDevice::flush(uint64_t address, uint64_t size_bytes) {
  VTA_RETURN_IF_ERROR(memory_->checkRange(address, size_bytes));
  memory_->markWritten(address, size_bytes);
  return {};
}

Status FunctionalDevice::submit(const Launch& launch) {
  if (result_) return invalidArgument("a launch is already submitted; wait for it first");
  const auto stream = findStream(launch, info_.hw, *memory_);
  if (!stream) {
    result_ = LaunchResult{{}, strayLaunch(launch), nullptr};
    return {};
  }
  result_ = launchResult(model_->run(*stream, baseAddresses(launch), *memory_));
  return {};
}

Result<LaunchResult> FunctionalDevice::wait(std::chrono::milliseconds /*timeout*/) {
  if (!result_) return invalidArgument("no launch is submitted");
  LaunchResult result = *std::move(result_);
  result_.reset();
  return result;
}

Status FunctionalDevice::reset() {
  model_->reset();
  result_.reset();
  return {};
}

}  // namespace vta::driver
