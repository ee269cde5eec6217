#include "driver/device.h"

#include "isa/config/dram_alignment.h"

namespace vta::driver {

uint64_t baseAddress(const Launch& launch, MemoryType type) {
  switch (type) {
    case MemoryType::kUop:
      return launch.uop_base;
    case MemoryType::kInp:
    case MemoryType::kInpFromOut:  // no memory access has it
      return launch.inp_base;
    case MemoryType::kWgt:
    case MemoryType::kWgtTransposed:
      return launch.wgt_base;
    case MemoryType::kAcc:
    case MemoryType::kAcc8:
      return launch.acc_base;
    case MemoryType::kOut:
      return launch.out_base;
  }
  return 0;
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
