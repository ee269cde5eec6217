#include "sim/common/register_file.h"

#include <algorithm>

namespace vta::sim {
namespace {

constexpr uint32_t kParameters[] = {
    reg::kInsnCount, reg::kInsnAddr,  reg::kUopBase,    reg::kInpBase,   reg::kWgtBase,
    reg::kAccBase,   reg::kOutBase,   reg::kInsnAddrHi, reg::kUopBaseHi, reg::kInpBaseHi,
    reg::kWgtBaseHi, reg::kAccBaseHi, reg::kOutBaseHi};
constexpr uint32_t kIrqBits = reg::kIrqDone | reg::kIrqFault;

}  // namespace

RegisterFile::RegisterFile(const HwConfig& hw) : hw_(hw), identity_(identityOf(hw)) {
  for (const uint32_t offset : kParameters) words_[offset] = 0;
  words_[reg::kUser] = 0;
}

uint32_t RegisterFile::status() const {
  return (running_ ? reg::kStatusRunning : 0) | (done_ ? reg::kStatusDone : 0) |
         (fault_ != reg::FaultCode::kNone ? reg::kStatusFault : 0) |
         (refused_ ? reg::kStatusLaunchRefused : 0);
}

uint64_t RegisterFile::counter(uint32_t offset) const {
  if (offset == reg::kCounterCycles) return counters_.cycles;
  if (offset == reg::kCounterGemmUops) return counters_.gemm_uops;
  if (offset == reg::kCounterAluUops) return counters_.alu_uops;
  if (offset < reg::kUnitCounters) return 0;
  const uint32_t unit = (offset - reg::kUnitCounters) / reg::kUnitCounterStride;
  const uint32_t figure = (offset - reg::kUnitCounters) % reg::kUnitCounterStride / 8;
  const UnitCounters* units[] = {&counters_.fetch, &counters_.load, &counters_.compute,
                                 &counters_.store};
  if (unit >= std::size(units) || figure >= 7) return 0;
  return units[unit]->values()[figure];
}

uint32_t RegisterFile::read(uint32_t offset) const {
  if (const auto found = words_.find(offset); found != words_.end()) return found->second;
  if (offset >= reg::kCounterCycles) {
    const uint64_t value = counter(offset & ~7u);
    return static_cast<uint32_t>(offset & 4 ? value >> 32 : value);
  }
  switch (offset) {
    case reg::kControl:
      return (running_ ? reg::kControlLaunch : 0) | (done_ ? reg::kControlDone : 0);
    case reg::kCycles:
      return static_cast<uint32_t>(counters_.cycles);
    case reg::kId:
      return identity_.id;
    case reg::kVersion:
      return identity_.version;
    case reg::kFingerprint:
      return static_cast<uint32_t>(identity_.fingerprint);
    case reg::kFingerprint + 4:
      return static_cast<uint32_t>(identity_.fingerprint >> 32);
    case reg::kConfig:
      return identity_.config;
    case reg::kDepths:
      return identity_.depths;
    case reg::kLastUopInp:
      return identity_.last_uop_inp;
    case reg::kLastWgtAcc:
      return identity_.last_wgt_acc;
    case reg::kExtensions:
      return identity_.extension_bits;
    case reg::kStatus:
      return status();
    case reg::kFault:
      return static_cast<uint32_t>(fault_);
    case reg::kFaultInsn:
      return fault_instruction_;
    case reg::kIrqEnable:
      return irq_enable_;
    case reg::kIrqStatus:
      return irq_status_;
    default:
      return 0;
  }
}

bool RegisterFile::write(uint32_t offset, uint32_t value) {
  if (offset == reg::kIrqEnable) irq_enable_ = value & kIrqBits;
  if (offset == reg::kIrqStatus) irq_status_ &= ~value;
  if (offset == reg::kUser) words_[offset] = value;
  const bool is_parameter = std::ranges::find(kParameters, offset) != std::end(kParameters);
  if (is_parameter && !running_) words_[offset] = value;
  if (offset != reg::kControl) return false;
  if ((value & reg::kControlReset) != 0) {
    running_ = done_ = refused_ = false;
    fault_ = reg::FaultCode::kNone;
    fault_instruction_ = 0;
    return false;
  }
  if ((value & reg::kControlLaunch) == 0) return false;
  refused_ = running_;
  if (running_) return false;
  running_ = true;
  done_ = false;
  fault_ = reg::FaultCode::kNone;
  fault_instruction_ = 0;
  counters_ = {};
  return true;
}

void RegisterFile::finish(const LaunchCounters& counters, reg::FaultCode fault,
                          uint32_t fault_instruction) {
  running_ = false;
  done_ = true;
  counters_ = counters;
  fault_ = fault;
  fault_instruction_ = fault_instruction;
  irq_status_ |= reg::kIrqDone;
  if (fault != reg::FaultCode::kNone) irq_status_ |= reg::kIrqFault;
}

BaseAddresses RegisterFile::bases() const {
  return {.uop = address(reg::kUopBase, reg::kUopBaseHi),
          .inp = address(reg::kInpBase, reg::kInpBaseHi),
          .wgt = address(reg::kWgtBase, reg::kWgtBaseHi),
          .acc = address(reg::kAccBase, reg::kAccBaseHi),
          .out = address(reg::kOutBase, reg::kOutBaseHi)};
}

bool RegisterFile::pastBus(uint64_t address) const {
  const int bits = hw_.params().axi_addr_width_bits;
  return bits < 64 && address >> bits != 0;
}

bool RegisterFile::isBadBase(uint64_t address, MemoryType type) const {
  const auto beat_bytes = static_cast<uint64_t>(hw_.params().axi_data_width_bits / 8);
  return address % std::min<uint64_t>(hw_.elemBytes(type), beat_bytes) != 0 || pastBus(address);
}

bool RegisterFile::isBadLaunch() const {
  const uint64_t address = instructionAddress();
  const auto insn_bytes = static_cast<uint64_t>(hw_.instructionBytes());
  const uint64_t last = address + instructionCount() * insn_bytes - 1;
  const BaseAddresses base = bases();
  return address == 0 || address % insn_bytes != 0 || pastBus(address) || pastBus(last) ||
         last < address - 1 || isBadBase(base.uop, MemoryType::kUop) ||
         isBadBase(base.inp, MemoryType::kInp) || isBadBase(base.wgt, MemoryType::kWgt) ||
         isBadBase(base.acc, MemoryType::kAcc) || isBadBase(base.out, MemoryType::kOut);
}

}  // namespace vta::sim
