#include "sim/board/register_file.h"

#include <algorithm>
#include <bit>

#include "isa/registers/identity.h"
#include "isa/registers/registers.h"

namespace vta::sim {
namespace {

constexpr uint32_t kIrqMask = reg::kIrqDone | reg::kIrqFault;

/// Launch parameters, which a running launch locks: low words and high words.
constexpr uint32_t kParameters[] = {
    reg::kInsnCount, reg::kInsnAddr,  reg::kUopBase,    reg::kInpBase,   reg::kWgtBase,
    reg::kAccBase,   reg::kOutBase,   reg::kInsnAddrHi, reg::kUopBaseHi, reg::kInpBaseHi,
    reg::kWgtBaseHi, reg::kAccBaseHi, reg::kOutBaseHi};

bool isParameter(uint32_t offset) {
  return std::ranges::find(kParameters, offset) != std::end(kParameters);
}

/// A word of `value` at an offset from the register of its low word.
uint32_t wordOf(uint64_t value, uint32_t offset, uint32_t low) {
  return static_cast<uint32_t>(offset == low ? value : value >> 32);
}

}  // namespace

uint64_t RegisterFile::parameter(uint32_t low, uint32_t high) const {
  const auto valueOf = [&](uint32_t offset) -> uint64_t {
    const auto found = parameters_.find(offset);
    return found == parameters_.end() ? 0 : found->second;
  };
  return valueOf(low) | valueOf(high) << 32;
}

uint64_t RegisterFile::instructionAddress() const {
  return parameter(reg::kInsnAddr, reg::kInsnAddrHi);
}

uint32_t RegisterFile::instructionCount() const {
  const auto found = parameters_.find(reg::kInsnCount);
  return found == parameters_.end() ? 0 : found->second;
}

BaseAddresses RegisterFile::bases() const {
  return {parameter(reg::kUopBase, reg::kUopBaseHi), parameter(reg::kInpBase, reg::kInpBaseHi),
          parameter(reg::kWgtBase, reg::kWgtBaseHi), parameter(reg::kAccBase, reg::kAccBaseHi),
          parameter(reg::kOutBase, reg::kOutBaseHi)};
}

uint32_t RegisterFile::readCounter(uint32_t offset) const {
  const uint32_t low = offset & ~uint32_t{7};
  if (low == reg::kCounterCycles) return wordOf(counters_.cycles, offset, low);
  if (low == reg::kCounterGemmUops) return wordOf(counters_.gemm_uops, offset, low);
  if (low == reg::kCounterAluUops) return wordOf(counters_.alu_uops, offset, low);
  if (low < reg::kUnitCounters) return 0;
  const uint32_t unit = (low - reg::kUnitCounters) / reg::kUnitCounterStride;
  const uint32_t counter = (low - reg::kUnitCounters) % reg::kUnitCounterStride / 8;
  const UnitCounters* const units[] = {&counters_.fetch, &counters_.load, &counters_.compute,
                                       &counters_.store};
  if (unit >= std::size(units) || counter >= 7) return 0;
  return wordOf(units[unit]->values()[counter], offset, low);
}

uint32_t RegisterFile::read(uint32_t offset) const {
  const HardwareIdentity identity = identityOf(hw_);
  switch (offset) {
    case reg::kControl:
      return (running_ ? reg::kControlLaunch : 0) | (done_ ? reg::kControlDone : 0);
    case reg::kCycles:
      return static_cast<uint32_t>(counters_.cycles);
    case reg::kUser:
      return user_;
    case reg::kId:
      return identity.id;
    case reg::kVersion:
      return identity.version;
    case reg::kFingerprint:
    case reg::kFingerprint + 4:
      return wordOf(identity.fingerprint, offset, reg::kFingerprint);
    case reg::kConfig:
      return identity.config;
    case reg::kDepths:
      return identity.depths;
    case reg::kExtensions:
      return identity.extension_bits;
    case reg::kStatus:
      return (running_ ? reg::kStatusRunning : 0) | (done_ ? reg::kStatusDone : 0) |
             (fault_ != reg::FaultCode::kNone ? reg::kStatusFault : 0) |
             (refused_ ? reg::kStatusLaunchRefused : 0);
    case reg::kFault:
      return static_cast<uint32_t>(fault_);
    case reg::kFaultInsn:
      return fault_instruction_;
    case reg::kIrqEnable:
      return irq_enable_;
    case reg::kIrqStatus:
      return irq_status_;
    default:
      break;
  }
  if (offset >= reg::kCounterCycles) return readCounter(offset);
  const auto found = parameters_.find(offset);
  return found == parameters_.end() ? 0 : found->second;
}

void RegisterFile::write(uint32_t offset, uint32_t value) {
  if (offset == reg::kUser) user_ = value;
  if (offset == reg::kIrqEnable) irq_enable_ = value & kIrqMask;
  if (offset == reg::kIrqStatus) irq_status_ &= ~value;
  if (isParameter(offset) && !running_) parameters_[offset] = value;
  if (offset == reg::kControl && (value & reg::kControlLaunch) != 0) launch();
}

void RegisterFile::launch() {
  refused_ = running_;
  if (running_) return;
  running_ = true;
  done_ = false;
  fault_ = reg::FaultCode::kNone;
  fault_instruction_ = 0;
  counters_ = {};
  if (isBadLaunch()) finish({}, reg::FaultCode::kBadLaunch, 0);
}

bool RegisterFile::isBadLaunch() const {
  const int address_bits = hw_.params().axi_addr_width_bits;
  const auto passesBus = [&](uint64_t address) {
    return address_bits < 64 && address >> address_bits != 0;
  };
  const auto insn_bytes = static_cast<uint64_t>(hw_.instructionBytes());
  const uint64_t begin = instructionAddress();
  const uint64_t last = begin + instructionCount() * insn_bytes - 1;
  if (begin == 0 || begin % insn_bytes != 0 || passesBus(begin) || passesBus(last)) return true;
  const auto bus_bytes = static_cast<uint64_t>(hw_.params().axi_data_width_bits / 8);
  const BaseAddresses base = bases();
  const std::pair<uint64_t, MemoryType> memories[] = {{base.uop, MemoryType::kUop},
                                                      {base.inp, MemoryType::kInp},
                                                      {base.wgt, MemoryType::kWgt},
                                                      {base.acc, MemoryType::kAcc},
                                                      {base.out, MemoryType::kOut}};
  return std::ranges::any_of(memories, [&](const auto& memory) {
    const uint64_t multiple = std::min<uint64_t>(hw_.elemBytes(memory.second), bus_bytes);
    return memory.first % multiple != 0 || passesBus(memory.first);
  });
}

void RegisterFile::finish(const LaunchCounters& counters, reg::FaultCode fault,
                          uint32_t instruction) {
  running_ = false;
  done_ = true;
  counters_ = counters;
  fault_ = fault;
  fault_instruction_ = instruction;
  irq_status_ |= reg::kIrqDone;
  if (fault != reg::FaultCode::kNone) irq_status_ |= reg::kIrqFault;
}

}  // namespace vta::sim
