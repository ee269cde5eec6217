#include "driver/device.h"

#include "isa/config/dram_alignment.h"

namespace vta::driver {

uint64_t baseAddress(const Launch& launch, MemoryType type) {
  // In the order of BaseRegister.
  constexpr uint64_t Launch::*kBases[kBaseRegisterCount] = {&Launch::uop_base, &Launch::inp_base,
                                                            &Launch::wgt_base, &Launch::acc_base,
                                                            &Launch::out_base};
  return launch.*kBases[static_cast<size_t>(memoryInfo(type).base)];
}

Result<DeviceBuffer> Device::allocateAt(uint64_t /*address*/, uint64_t /*size_bytes*/) {
  return unsupported("device '" + info().name + "' cannot allocate at a given address");
}

uint64_t Device::alignmentBytes() const { return largestElemBytes(info().hw); }

Status Device::identify() { return {}; }

Status Device::testInterrupt() {
  return unsupported("device '" + info().name + "' has no interrupt");
}

Status Device::setTracing(Tracing tracing) {
  if (tracing == Tracing::kOff) return {};
  return unsupported("device " + info().name + " records no events; the cycle simulator does");
}

}  // namespace vta::driver
