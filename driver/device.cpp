#include "driver/device.h"

#include <iterator>

namespace vta::driver {

std::string_view faultKindName(FaultKind kind) {
  constexpr std::string_view kNames[] = {
      "illegal instruction",
      "SRAM access out of bounds",
      "DRAM access out of bounds",
      "token queue underflow",
      "token queue overflow",
      "tokens left over",
      "deadlock",
      "bus error",
      "uninitialised read",
      "race",
  };
  const auto i = static_cast<size_t>(kind);
  return i < std::size(kNames) ? kNames[i] : "unknown fault";
}

Result<DeviceBuffer> Device::allocateAt(uint64_t /*address*/, uint64_t /*size_bytes*/) {
  return unsupported("device '" + info().name + "' cannot allocate at a given address");
}

std::byte* Device::map(const DeviceBuffer& /*buffer*/) { return nullptr; }

Status Device::flush(uint64_t /*address*/, uint64_t /*size_bytes*/) { return {}; }

Status Device::invalidate(uint64_t /*address*/, uint64_t /*size_bytes*/) { return {}; }

Status Device::setTracing(bool on) {
  if (!on) return {};
  return unsupported("device " + info().name + " records no events; the cycle simulator does");
}

}  // namespace vta::driver
