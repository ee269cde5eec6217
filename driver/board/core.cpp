#include "driver/board/core.h"

#include <fmt/format.h>

#include <array>
#include <utility>

#include "isa/registers/configuration.h"
#include "isa/registers/four_block.h"

namespace vta::driver {
namespace {

constexpr uint32_t kAllInterrupts = reg::kIrqDone | reg::kIrqFault;

/// Below, no counter of a launch of so many cycles has passed 32 bits: of the counters, bytes grow
/// fastest, by at most 128 in each direction and cycle.
constexpr uint64_t kShortCycles = uint64_t{1} << 24;

std::pair<uint32_t, uint32_t> words(uint64_t value) {
  return {static_cast<uint32_t>(value), static_cast<uint32_t>(value >> 32)};
}

/// Something answers.
Status checkAnswer(const HardwareIdentity& found) {
  if (found.id != 0 && found.id != ~uint32_t{0}) return {};
  return unsupported(
      fmt::format("no VTA answers: register id reads {:#010x}; the FPGA is not programmed, its "
                  "clock is off, or the registers are at another address; program it with "
                  "vta-flash",
                  found.id));
}

}  // namespace

HardwareIdentity Core::identity() const {
  return {.id = registers_.read(reg::kId),
          .version = registers_.read(reg::kVersion),
          .fingerprint = registers_.read64(reg::kFingerprint),
          .config = registers_.read(reg::kConfig),
          .depths = registers_.read(reg::kDepths),
          .last_uop_inp = registers_.read(reg::kLastUopInp),
          .last_wgt_acc = registers_.read(reg::kLastWgtAcc),
          .extension_bits = registers_.read(reg::kExtensions)};
}

Result<HwConfig> Core::configuration() const {
  const HardwareIdentity found = identity();
  VTA_RETURN_IF_ERROR(checkAnswer(found));
  return configurationOf(found);
}

Status Core::identify(const HwConfig& hw) const {
  const HardwareIdentity found = identity();
  VTA_RETURN_IF_ERROR(checkAnswer(found));
  const Status status = checkIdentity(found, hw);
  if (status.ok()) return {};
  // Where this core has its identification, the fetch block repeats its control register.
  const bool has_blocks =
      (found.id & ~four_block::kControlBits) == 0 && (found.id & four_block::kControlIdle) != 0;
  if (has_blocks) {
    return unsupported(fmt::format(
        "{}; this may be a bitstream of VTA 0.0.2, whose four blocks have no identification: give "
        "the device the option map=four-block and compile with --hw vta-0.0.2, or program another "
        "bitstream with vta-flash",
        status.message()));
  }
  if (found.id != reg::kIdValue || found.version != reg::kVersionValue) {
    return unsupported(status.message() + "; program the bitstream with vta-flash");
  }
  return unsupported(
      fmt::format("{}; compile the model for the hardware, or program the other bitstream\n"
                  "  hardware: {}\n  wanted:   {}",
                  status.message(), describeIdentity(found), describeIdentity(identityOf(hw))));
}

CoreStatus Core::status() const {
  const uint32_t word = registers_.read(reg::kStatus);
  return {.running = (word & reg::kStatusRunning) != 0,
          .done = (word & reg::kStatusDone) != 0,
          .fault = (word & reg::kStatusFault) != 0,
          .refused = (word & reg::kStatusLaunchRefused) != 0,
          .draining = (word & reg::kStatusDraining) != 0};
}

void Core::initialise() {
  written_.clear();
  registers_.write(reg::kIrqEnable, kAllInterrupts);
  acknowledgeInterrupt();
}

void Core::acknowledgeInterrupt() const { registers_.write(reg::kIrqStatus, kAllInterrupts); }

bool Core::interruptPending() const {
  return (registers_.read(reg::kIrqStatus) & kAllInterrupts) != 0;
}

void Core::set(uint32_t offset, uint32_t value) {
  const auto [known, is_new] = written_.try_emplace(offset, value);
  if (!is_new && known->second == value) return;
  known->second = value;
  registers_.write(offset, value);
}

void Core::startBadLaunch() { launch({}); }

Status Core::start(const Launch& launch) {
  // Registers that keep their values are not written again. Behind a reset they are zero, and a
  // launch would read and write at the beginning of memory.
  if (registers_.read(reg::kIrqEnable) != kAllInterrupts) {
    return {
        StatusCode::kDeviceFault,
        "the core was reset since its last launch: its registers are not what the driver wrote; "
        "was the FPGA programmed, or its reset driven? Create the device again"};
  }
  this->launch(launch);
  return {};
}

void Core::launch(const Launch& launch) {
  struct Address {
    uint32_t low;
    uint32_t high;
    uint64_t value;
  };
  for (const Address& address :
       {Address{reg::kInsnAddr, reg::kInsnAddrHi, launch.instruction_address},
        Address{reg::kUopBase, reg::kUopBaseHi, launch.uop_base},
        Address{reg::kInpBase, reg::kInpBaseHi, launch.inp_base},
        Address{reg::kWgtBase, reg::kWgtBaseHi, launch.wgt_base},
        Address{reg::kAccBase, reg::kAccBaseHi, launch.acc_base},
        Address{reg::kOutBase, reg::kOutBaseHi, launch.out_base}}) {
    const auto [low, high] = words(address.value);
    set(address.low, low);
    set(address.high, high);
  }
  set(reg::kInsnCount, launch.instruction_count);
  registers_.write(reg::kControl, reg::kControlLaunch);
}

LaunchCounters Core::counters() const {
  LaunchCounters counters;
  counters.cycles = registers_.read64(reg::kCounterCycles);
  const bool is_short = counters.cycles < kShortCycles;
  const auto read = [&](uint32_t offset) {
    return is_short ? uint64_t{registers_.read(offset)} : registers_.read64(offset);
  };
  counters.gemm_uops = read(reg::kCounterGemmUops);
  counters.alu_uops = read(reg::kCounterAluUops);
  UnitCounters* const units[] = {&counters.fetch, &counters.load, &counters.compute,
                                 &counters.store};
  for (int unit = 0; unit < 4; ++unit) {
    std::array<uint64_t, 7> values{};
    for (size_t i = 0; i < values.size(); ++i) {
      values[i] = read(reg::unitCounterOffset(unit, static_cast<reg::UnitCounter>(i)));
    }
    *units[unit] = UnitCounters::fromValues(values);
  }
  return counters;
}

reg::FaultCode Core::faultCode() const {
  return static_cast<reg::FaultCode>(registers_.read(reg::kFault) & 0xff);
}

uint32_t Core::faultInstruction() const { return registers_.read(reg::kFaultInsn); }

std::string Core::progress() const {
  std::array<uint32_t, 4> done{};
  for (int unit = 0; unit < 4; ++unit) {
    done[static_cast<size_t>(unit)] =
        registers_.read(reg::unitCounterOffset(unit, reg::UnitCounter::kInstructions));
  }
  return fmt::format("fetch has handed out {}; load has done {}, compute {}, store {}", done[0],
                     done[1], done[2], done[3]);
}

}  // namespace vta::driver
