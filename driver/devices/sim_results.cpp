#include "driver/devices/sim_results.h"

#include <fmt/format.h>

namespace vta::driver {

sim::BaseAddresses baseAddresses(const Launch& launch) {
  return {launch.uop_base, launch.inp_base, launch.wgt_base, launch.acc_base, launch.out_base};
}

std::optional<std::span<const std::byte>> findStream(const Launch& launch, const HwConfig& hw,
                                                     const SimMemory& memory) {
  const uint64_t size_bytes =
      uint64_t{launch.instruction_count} * static_cast<uint64_t>(hw.instructionBytes());
  const auto range = memory.findRange(launch.instruction_address);
  if (!range || !range->contains(launch.instruction_address, size_bytes)) return std::nullopt;
  return std::span<const std::byte>(range->at(launch.instruction_address), size_bytes);
}

Fault strayLaunch(const Launch& launch) {
  return {FaultKind::kDramBounds, 0, "",
          fmt::format("the {} instructions at {:#x} do not lie in one allocated buffer",
                      launch.instruction_count, launch.instruction_address)};
}

std::optional<Fault> checkAlignment(const Launch& launch, const HwConfig& hw) {
  struct Address {
    std::string_view name;
    uint64_t value;
    uint64_t multiple;
  };
  const Address addresses[] = {
      {"instruction address", launch.instruction_address,
       static_cast<uint64_t>(hw.instructionBytes())},
      {"base address of UOP", launch.uop_base, hw.elemBytes(MemoryType::kUop)},
      {"base address of INP", launch.inp_base, hw.elemBytes(MemoryType::kInp)},
      {"base address of WGT", launch.wgt_base, hw.elemBytes(MemoryType::kWgt)},
      {"base address of ACC", launch.acc_base, hw.elemBytes(MemoryType::kAcc)},
      {"base address of OUT", launch.out_base, hw.elemBytes(MemoryType::kOut)},
  };
  for (const Address& address : addresses) {
    if (address.value % address.multiple == 0) continue;
    return Fault{FaultKind::kDramBounds, 0, "",
                 fmt::format("the {} {:#x} is no multiple of {}", address.name, address.value,
                             address.multiple)};
  }
  return std::nullopt;
}

}  // namespace vta::driver
