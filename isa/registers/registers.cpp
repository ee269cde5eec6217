#include "isa/registers/registers.h"

#include <fmt/format.h>

#include <vector>

#include "isa/spec/parameters.h"

namespace vta {
namespace {

constexpr RegisterAccess kRo = RegisterAccess::kReadOnly;
constexpr RegisterAccess kRw = RegisterAccess::kReadWrite;
constexpr RegisterAccess kW1c = RegisterAccess::kWriteOneToClear;

// A bit for each extension, in the order of their table.
std::span<const RegisterField> extensionFields() {
  static const auto* const kFields = [] {
    auto* const fields = new std::vector<RegisterField>;
    for (const IsaExtension& extension : isaExtensions()) {
      fields->push_back({extension.name, static_cast<int>(fields->size()), 1, extension.name});
    }
    return fields;
  }();
  return *kFields;
}

const std::vector<RegisterInfo>& table() {
  static const auto* const kTable = new std::vector<RegisterInfo>{
      {reg::kControl, "control", kRw, "", reg::kControlFields},
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
      {reg::kConfig, "config", kRo, "", reg::kConfigFields},
      {reg::kDepths, "depths", kRo,
       "bits of an index, log2 of the depth rounded up: ", reg::kDepthsFields},
      {reg::kExtensions, "extensions", kRo, "", extensionFields()},
      {reg::kStatus, "status", kRo, "", reg::kStatusFields},
      {reg::kFault, "fault", kRo, "", reg::kFaultFields},
      {reg::kFaultInsn, "fault_insn", kRo, "number of the instruction at fault"},
      {reg::kIrqEnable, "irq_enable", kRw, "", reg::kIrqFields},
      {reg::kIrqStatus, "irq_status", kW1c, "", reg::kIrqFields},
      {reg::kInsnAddrHi, "insn_addr_hi", kRw, "address of the stream, high word"},
      {reg::kUopBaseHi, "uop_base_hi", kRw, "base address of UOP, high word"},
      {reg::kInpBaseHi, "inp_base_hi", kRw, "base address of INP, high word"},
      {reg::kWgtBaseHi, "wgt_base_hi", kRw, "base address of WGT, high word"},
      {reg::kAccBaseHi, "acc_base_hi", kRw, "base address of ACC and ACC_8BIT, high word"},
      {reg::kOutBaseHi, "out_base_hi", kRw, "base address of OUT, high word"},
      {reg::kLastUopInp, "last_uop_inp", kRo,
       "index of the last element: ", reg::kLastUopInpFields},
      {reg::kLastWgtAcc, "last_wgt_acc", kRo,
       "index of the last element: ", reg::kLastWgtAccFields},
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
  return *kTable;
}

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

std::string RegisterInfo::description() const {
  std::string text(contents);
  for (const RegisterField& field : fields) {
    if (field.lsb != fields.front().lsb) text += ", ";
    if (field.width_bits > 1) text += fmt::format("{}:", field.lsb + field.width_bits - 1);
    text += fmt::format("{} {}", field.lsb, field.doc);
  }
  return text;
}

std::span<const RegisterInfo> controlRegisters() { return table(); }

}  // namespace vta
