#include "tests/compiler/kernel/device_runner.h"

#include <algorithm>
#include <span>

#include "driver/device_registry.h"
#include "driver/loader.h"

namespace vta::kernel::testing {

Status runOnFunctionalDevice(const Program& program, const HwConfig& hw,
                             std::vector<std::vector<uint8_t>>& buffers) {
  VTA_ASSIGN_OR_RETURN(const std::unique_ptr<driver::Device> device,
                       driver::createDevice("functional:checked,memory=64M", hw));
  std::vector<uint64_t> addresses;
  for (size_t i = 0; i < buffers.size(); ++i) {
    VTA_ASSIGN_OR_RETURN(
        const driver::DeviceBuffer buffer,
        device->allocate(std::max<uint64_t>(1, buffers[i].size()),
                         std::max<uint64_t>(64, program.buffers[i].alignment_bytes)));
    addresses.push_back(buffer.address);
    VTA_RETURN_IF_ERROR(device->write(buffer.address, std::as_bytes(std::span(buffers[i]))));
  }
  VTA_ASSIGN_OR_RETURN(driver::LoadedProgram loaded,
                       driver::LoadedProgram::load(*device, program, addresses));
  const Result<LaunchCounters> counters = loaded.run();
  if (!counters.ok()) return counters.status();
  for (size_t i = 0; i < buffers.size(); ++i) {
    VTA_RETURN_IF_ERROR(device->read(addresses[i], std::as_writable_bytes(std::span(buffers[i]))));
  }
  return {};
}

}  // namespace vta::kernel::testing
