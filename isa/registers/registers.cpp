#include "isa/registers/registers.h"

namespace vta {
namespace {

constexpr RegisterAccess kRo = RegisterAccess::kReadOnly;
constexpr RegisterAccess kRw = RegisterAccess::kReadWrite;
constexpr RegisterAccess kW1c = RegisterAccess::kWriteOneToClear;

constexpr RegisterInfo kTable[] = {
    {reg::kControl, "control", kRw, "0 launch (reads as running), 1 done"},
    {reg::kCycles, "cycles", kRo, "cycles of the last or running launch, low word"},
    {reg::kInsnCount, "insn_count", kRw, "instructions in the stream"},
    {reg::kInsnAddr, "insn_addr", kRw, "address of the stream, low word"},
    {reg::kUopBase, "uop_base", kRw, "base address of UOP, low word"},
    {reg::kInpBase, "inp_base", kRw, "base address of INP, low word"},
    {reg::kWgtBase, "wgt_base", kRw, "base address of WGT, low word"},
    {reg::kAccBase, "acc_base", kRw, "base address of ACC and ACC_8BIT, low word"},
    {reg::kOutBase, "out_base", kRw, "base address of OUT, low word"},
    {reg::kUser, "user", kRw, "free for software"},
    {reg::kId, "id", kRo, "0x31415456, \"VTA1\""},
    {reg::kVersion, "version", kRo, "1: the version of this map"},
    {reg::kFingerprint, "fingerprint_lo", kRo, "configuration fingerprint, low word"},
    {reg::kFingerprint + 4, "fingerprint_hi", kRo, "configuration fingerprint, high word"},
    {reg::kConfig, "config", kRo,
     "3:0 log2 batch, 7:4 log2 block_in, 11:8 log2 block_out, 12 wide encoding, 13 qmul, 14 clip, "
     "15 pad_min, 16 concurrent compute, 17 counters present, 18 packed multipliers, 23:20 log2 "
     "bus bytes, 31:24 address bits"},
    {reg::kDepths, "depths", kRo, "log2 depths: 7:0 uop, 15:8 inp, 23:16 wgt, 31:24 acc"},
    {reg::kStatus, "status", kRo, "0 running, 1 done, 2 fault, 3 launch refused"},
    {reg::kFault, "fault", kRo, "7:0 fault code, 0 without fault"},
    {reg::kFaultInsn, "fault_insn", kRo, "number of the instruction at fault"},
    {reg::kIrqEnable, "irq_enable", kRw, "0 done, 1 fault"},
    {reg::kIrqStatus, "irq_status", kW1c, "0 done, 1 fault"},
    {reg::kInsnAddrHi, "insn_addr_hi", kRw, "address of the stream, high word"},
    {reg::kUopBaseHi, "uop_base_hi", kRw, "base address of UOP, high word"},
    {reg::kInpBaseHi, "inp_base_hi", kRw, "base address of INP, high word"},
    {reg::kWgtBaseHi, "wgt_base_hi", kRw, "base address of WGT, high word"},
    {reg::kAccBaseHi, "acc_base_hi", kRw, "base address of ACC and ACC_8BIT, high word"},
    {reg::kOutBaseHi, "out_base_hi", kRw, "base address of OUT, high word"},
    {reg::kCounterCycles, "counter_cycles", kRo, "64 bits: cycles of the launch"},
    {reg::kCounterGemmUops, "counter_gemm_uops", kRo, "64 bits: GEMM micro-ops, resets included"},
    {reg::kCounterAluUops, "counter_alu_uops", kRo, "64 bits: ALU micro-ops"},
    {reg::unitCounterOffset(0, reg::UnitCounter::kInstructions), "counters_fetch", kRo,
     "seven 64-bit counters"},
    {reg::unitCounterOffset(1, reg::UnitCounter::kInstructions), "counters_load", kRo,
     "seven 64-bit counters"},
    {reg::unitCounterOffset(2, reg::UnitCounter::kInstructions), "counters_compute", kRo,
     "seven 64-bit counters"},
    {reg::unitCounterOffset(3, reg::UnitCounter::kInstructions), "counters_store", kRo,
     "seven 64-bit counters"},
};

}  // namespace

std::string_view registerAccessName(RegisterAccess access) {
  switch (access) {
    case RegisterAccess::kReadOnly:
      return "ro";
    case RegisterAccess::kReadWrite:
      return "rw";
    case RegisterAccess::kWriteOneToClear:
      return "w1c";
  }
  return "";
}

std::span<const RegisterInfo> controlRegisters() { return kTable; }

}  // namespace vta
