#include "driver/devices/sim_device.h"

#include <utility>

#include "driver/devices/sim_results.h"

namespace vta::driver {

SimDevice::SimDevice(DeviceInfo info, std::unique_ptr<SimMemory> memory)
    : info_(std::move(info)), memory_(std::move(memory)) {}

Result<DeviceBuffer> SimDevice::allocate(uint64_t size_bytes, uint64_t alignment_bytes) {
  return memory_->allocate(size_bytes, alignment_bytes);
}

Result<DeviceBuffer> SimDevice::allocateAt(uint64_t address, uint64_t size_bytes) {
  return memory_->allocateAt(address, size_bytes);
}

Status SimDevice::free(const DeviceBuffer& buffer) { return memory_->free(buffer); }

Status SimDevice::write(uint64_t address, std::span<const std::byte> data) {
  return memory_->write(address, data);
}

Status SimDevice::read(uint64_t address, std::span<std::byte> data) {
  return memory_->read(address, data);
}

std::byte* SimDevice::map(const DeviceBuffer& buffer) { return memory_->map(buffer); }

Status SimDevice::flush(uint64_t address, uint64_t size_bytes) {
  VTA_RETURN_IF_ERROR(memory_->checkRange(address, size_bytes));
  memory_->markWritten(address, size_bytes);
  return {};
}

Status ImmediateDevice::submit(const Launch& launch) {
  if (result_) return invalidArgument("a launch is already submitted; wait for it first");
  const auto stream = findStream(launch, hw(), memory());
  result_ = stream ? run(launch, *stream) : LaunchResult{{}, strayLaunch(launch), nullptr};
  return {};
}

Result<LaunchResult> ImmediateDevice::wait(std::chrono::milliseconds /*timeout*/) {
  if (!result_) return invalidArgument("no launch is submitted");
  return *std::exchange(result_, std::nullopt);
}

Status ImmediateDevice::reset() {
  resetModel();
  result_.reset();
  return {};
}

}  // namespace vta::driver
