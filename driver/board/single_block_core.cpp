#include "driver/board/single_block_core.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace vta::driver {
namespace {

constexpr uint32_t kLaunchBit = 1, kDoneBit = 2;  // of the control register
constexpr uint32_t kBlockBases[] = {reg::kUopBase, reg::kInpBase, reg::kWgtBase, reg::kAccBase,
                                    reg::kOutBase};

}  // namespace

Status SingleBlockCore::identify(const HwConfig& hw) const {
  if (!hw.params().compat_0_0_2) {
    return unsupported(fmt::format(
        "map=single-block is for bitstreams of VTA 0.0.2, and configuration '{}' is not for them: "
        "it has no 'isa: {{compat: 0.0.2}}'; compile the model with --hw vta-0.0.2, or, for a "
        "bitstream of this project, leave out map=single-block",
        hw.name()));
  }
  if (registers_->read(reg::kId) != reg::kIdValue) return {};
  return unsupported(
      "the registers are those of this project's core; leave out map=single-block, and compile the "
      "model for the bitstream's configuration");
}

Status SingleBlockCore::prepare(const HwConfig& /*hw*/, const Keep& /*keep*/) {
  constexpr uint32_t kPattern = 0x00055000;
  for (const uint32_t base : kBlockBases) {
    registers_->write(base, kPattern + base * 0x1000);
  }
  for (const uint32_t base : kBlockBases) {
    const uint32_t found = registers_->read(base);
    registers_->write(base, 0);
    if (found == kPattern + base * 0x1000) continue;
    return unsupported(fmt::format(
        "the register at {:#x} does not hold what is written to it, so these are not the registers "
        "of a single block of VTA 0.0.2; check registers=, and the bitstream",
        base));
  }
  return {};
}

CoreStatus SingleBlockCore::status() const {
  const uint32_t control = registers_->read(reg::kControl);
  CoreStatus status;
  status.done = (control & kDoneBit) != 0;
  status.running = !status.done && (control & kLaunchBit) != 0;
  return status;
}

Status SingleBlockCore::start(const Launch& launch) {
  const uint64_t addresses[] = {launch.uop_base, launch.inp_base, launch.wgt_base,
                                launch.acc_base, launch.out_base, launch.instruction_address};
  const uint64_t highest = *std::ranges::max_element(addresses);
  if (highest > UINT32_MAX - bus_offset_) {
    return invalidArgument(
        fmt::format("the address {:#x}{} has more than the 32 bits that VTA 0.0.2 has", highest,
                    bus_offset_ != 0 ? fmt::format(" behind bus-offset={:#x}", bus_offset_) : ""));
  }
  for (size_t i = 0; i < std::size(kBlockBases); ++i) {
    registers_->write(kBlockBases[i], static_cast<uint32_t>(addresses[i] + bus_offset_));
  }
  registers_->write(reg::kCycles, 0);
  registers_->write(reg::kInsnCount, launch.instruction_count);
  registers_->write(reg::kInsnAddr,
                    static_cast<uint32_t>(launch.instruction_address + bus_offset_));
  registers_->write(reg::kControl, kLaunchBit);
  return {};
}

std::string SingleBlockCore::progress() const {
  return fmt::format("control reads {:#x} after {} cycles, and the block tells no more",
                     registers_->read(reg::kControl), registers_->read(reg::kCycles));
}

LaunchCounters SingleBlockCore::counters() const {
  LaunchCounters counters;
  counters.cycles = registers_->read(reg::kCycles);
  return counters;
}

}  // namespace vta::driver
