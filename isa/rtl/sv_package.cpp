#include "isa/rtl/sv_package.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <map>
#include <span>
#include <string_view>
#include <vector>

#include "isa/config/config_rules.h"
#include "isa/instruction/encoding.h"
#include "isa/instruction/instruction.h"
#include "isa/registers/identity.h"
#include "isa/registers/registers.h"
#include "isa/rtl/sv_names.h"
#include "isa/rtl/sv_types.h"
#include "isa/spec/depthwise.h"
#include "isa/spec/lookup_table.h"
#include "isa/spec/memory_ports.h"
#include "isa/spec/parameters.h"
#include "isa/spec/timing.h"
#include "isa/spec/user_operation.h"

namespace vta {
namespace {

class PackageWriter {
 public:
  void section(std::string_view title) { text_ += fmt::format("\n  // {}\n", title); }

  void constant(std::string_view name, uint64_t value) {
    text_ += fmt::format("  localparam int unsigned {} = {};\n", name, value);
    values_.emplace(name, value);
  }

  void text(std::string_view name, std::string_view value) {
    text_ += fmt::format("  localparam {} = \"{}\";\n", name, value);
  }

  void flag(std::string_view name, bool value) {
    text_ += fmt::format("  localparam bit {} = 1'b{};\n", name, value ? 1 : 0);
  }

  /// An enumeration `type` of codes, each called `prefix` and its name.
  void codes(std::string_view type, std::string_view prefix, int width_bits,
             std::span<const std::pair<std::string, uint64_t>> codes) {
    text_ += fmt::format("  typedef enum logic [{}:0] {{\n", width_bits - 1);
    for (const auto& [name, value] : codes) {
      text_ += fmt::format("    {}{} = {}'d{}{}\n", prefix, name, width_bits, value,
                           name == codes.back().first ? "" : ",");
    }
    text_ += fmt::format("  }} {};\n", type);
  }

  void hex(std::string_view name, int width_bits, uint64_t value) {
    text_ += fmt::format("  localparam logic [{}:0] {} = {}'h{:x};\n", width_bits - 1, name,
                         width_bits, value);
  }

  /// Position and width of each field that `skip` does not have already.
  void fields(std::string_view prefix, const std::vector<FieldInfo>& fields, size_t skip) {
    for (const FieldInfo& field : std::span(fields).subspan(skip)) {
      constant(fmt::format("{}{}Lsb", prefix, camelCase(field.name)),
               static_cast<uint64_t>(field.lsb));
      constant(fmt::format("{}{}Width", prefix, camelCase(field.name)),
               static_cast<uint64_t>(field.width_bits));
    }
  }

  /// Of a constant that has been written.
  uint64_t valueOf(const std::string& name) const { return values_.at(name); }

  std::string take() { return std::move(text_); }
  void raw(std::string_view text) { text_ += text; }

 private:
  std::string text_;
  std::map<std::string, uint64_t> values_;
};

void writeParameters(PackageWriter& w, const HwConfig& hw) {
  w.section("Parameters of the configuration");
  const HwParams& params = hw.params();
  for (const Parameter& parameter : parameters()) {
    if (parameter.sv_name.empty()) continue;
    const int64_t value = parameter.access.get(params);
    if (parameter.sv_is_text) {
      w.text(parameter.sv_name, parameter.names[static_cast<size_t>(value)]);
      continue;
    }
    if (parameter.isFlag()) {
      w.flag(parameter.sv_name, value != 0);
    } else {
      w.constant(parameter.sv_name, static_cast<uint64_t>(value));
    }
    if (parameter.kind != ParameterKind::kChoice || parameter.isFlag()) continue;
    for (size_t i = 0; i < parameter.names.size(); ++i) {
      w.constant(fmt::format("{}{}", parameter.sv_name, camelCase(parameter.names[i])), i);
    }
  }
  for (const IsaExtension& extension : isaExtensions()) {
    w.flag(extension.sv_name, params.*extension.member);
  }
}

void writeMemories(PackageWriter& w, const HwConfig& hw) {
  w.section("Elements in DRAM and depths of the scratchpads, in elements");
  for (const MemoryInfo& memory : memories()) {
    const uint64_t elem_bytes = hw.elemBytes(memory.type);
    // Of ACC in the scratchpad, which may have fewer.
    const uint64_t elem_bits = memory.type == MemoryType::kAcc
                                   ? memory.sramElemBits(hw.params(), hw.uopBytes())
                                   : elem_bytes * 8;
    w.constant(fmt::format("{}ElemBits", memory.sv_name), elem_bits);
    w.constant(fmt::format("{}ElemBytes", memory.sv_name), elem_bytes);
    w.constant(fmt::format("{}LogElemBytes", memory.sv_name),
               static_cast<uint64_t>(std::countr_zero(elem_bytes)));
    w.constant(fmt::format("{}LogDepth", memory.sv_name),
               static_cast<uint64_t>(hw.logDepth(memory.type)));
    w.constant(fmt::format("{}Depth", memory.sv_name), hw.depthElems(memory.type));
  }
}

void writeEncoding(PackageWriter& w, const HwConfig& hw) {
  w.section("Encoding: positions and widths of fields");
  w.flag("WideEncoding", hw.encoding() == Encoding::kWide);
  w.constant("InsnBytes", static_cast<uint64_t>(hw.instructionBytes()));
  w.constant("InsnBits", static_cast<uint64_t>(hw.instructionBytes()) * 8);
  w.constant("InsnLogBytes",
             static_cast<uint64_t>(std::countr_zero(static_cast<unsigned>(hw.instructionBytes()))));
  const std::vector<FieldInfo> common = instructionFields(Opcode::kFinish, hw);
  w.fields("Insn", common, 0);
  w.fields("Mem", instructionFields(Opcode::kLoad, hw), common.size());
  w.fields("Gemm", instructionFields(Opcode::kGemm, hw), common.size());
  w.fields("Alu", instructionFields(Opcode::kAlu, hw), common.size());
  w.fields("Uop", uopFields(hw), 0);
}

void writeOpcodes(PackageWriter& w) {
  w.section("Opcodes");
  std::vector<std::pair<std::string, uint64_t>> codes;
  for (const Opcode code :
       {Opcode::kLoad, Opcode::kStore, Opcode::kGemm, Opcode::kFinish, Opcode::kAlu}) {
    codes.emplace_back(camelCase(opcodeName(code)), static_cast<uint64_t>(code));
  }
  w.codes("opcode_e", "Opcode", 3, codes);
}

void writeMemoryTypes(PackageWriter& w, const HwConfig& hw) {
  w.section(
      "Memories that LOAD and STORE address: codes, and sets of them with a bit for each code");
  constexpr int kTypeWidth = 3;
  std::vector<std::pair<std::string, uint64_t>> codes;
  uint64_t loaded = 0;
  uint64_t operands = 0;
  for (const MemoryInfo& memory : memories()) {
    codes.emplace_back(memory.sv_name, static_cast<uint64_t>(memory.type));
    if (!hasMemory(hw.params(), memory) || memory.type == MemoryType::kOut) continue;
    const uint64_t bit = uint64_t{1} << static_cast<int>(memory.type);
    loaded |= bit;
    const bool is_operand =
        memory.scratchpad == MemoryType::kInp || memory.scratchpad == MemoryType::kWgt;
    if (is_operand) operands |= bit;
  }
  w.codes("mem_type_e", "MemType", kTypeWidth, codes);
  w.hex("MemTypesLoaded", 1 << kTypeWidth, loaded);
  w.hex("MemTypesOfLoadUnit", 1 << kTypeWidth, operands);
}

void writeTranspose(PackageWriter& w, const HwConfig& hw) {
  w.section("Transposing LOAD: the bits that a weight has to have");
  w.constant("TransposeWidth", static_cast<uint64_t>(transposeWidth(hw)));
}

/// A bit for each code of an operation for which `holds`.
template <typename Predicate>
uint64_t aluCodesWith(std::span<const AluOperation* const> operations, Predicate holds) {
  uint64_t bits = 0;
  for (const AluOperation* operation : operations) {
    if (holds(*operation)) bits |= uint64_t{1} << static_cast<int>(operation->opcode);
  }
  return bits;
}

/// All operations of this project, and those that users have defined for `hw`, by their codes.
std::vector<const AluOperation*> knownAluOperations(const HwConfig& hw) {
  std::vector<const AluOperation*> known;
  for (const AluOperation& operation : kAluOperations) known.push_back(&operation);
  for (const auto& operation : hw.params().operations.list()) known.push_back(&operation->row);
  std::ranges::sort(known, {}, &AluOperation::opcode);
  return known;
}

void writeAluOperations(PackageWriter& w, const HwConfig& hw) {
  w.section("Operations of the ALU: codes, and sets of them with a bit for each code");
  const std::vector<const AluOperation*> known = knownAluOperations(hw);
  // Not fewer bits than the operations of this project need, whatever the hardware has of them.
  constexpr int kOpWidth = std::bit_width(static_cast<unsigned>(maxAluCode()));
  static_assert(1 << kOpWidth == kBaseAluPages << kAluOpcodeBits, "users' codes fit as well");
  std::vector<std::pair<std::string, uint64_t>> codes;
  for (const AluOperation* operation : known) {
    codes.emplace_back(camelCase(operation->name), static_cast<uint64_t>(operation->opcode));
  }
  w.constant("AluOpWidth", kOpWidth);
  w.codes("alu_op_e", "AluOp", kOpWidth, codes);
  using Op = AluOperation;
  const auto set = [&](std::string_view name, auto holds) {
    w.hex(name, 1 << kOpWidth, aluCodesWith(known, holds));
  };
  const auto is_there = [&](const Op& op) { return hasAluOperation(hw.params(), op); };
  set("AluIsThere", is_there);
  set("AluTakesTensor", [](const Op& op) { return op.operand != AluOperand::kImmediate; });
  set("AluTakesImmediate", [](const Op& op) {
    return op.operand == AluOperand::kTensorOrImmediate || op.operand == AluOperand::kImmediate;
  });
  set("AluImmIsShift", [](const Op& op) { return op.immediate == AluImmediate::kShift; });
  set("AluImmIsRange", [](const Op& op) { return op.immediate == AluImmediate::kByteRange; });
  set("AluImmIsZero", [](const Op& op) { return op.immediate == AluImmediate::kZero; });
  w.constant("AluMaxShift", uint64_t{kMaxAluShift});
  w.flag("AluHasPages", aluCodesWith(known, is_there) >> (1 << kAluOpcodeBits) != 0);
}

void writeBus(PackageWriter& w, const HwConfig& hw) {
  w.section("Bus");
  const auto bus_bytes = static_cast<unsigned>(hw.params().axi_data_width_bits / 8);
  w.constant("AxiBytes", bus_bytes);
  w.constant("AxiLogBytes", static_cast<uint64_t>(std::countr_zero(bus_bytes)));
  w.constant("AxiIdWidth", 2);
  const MemoryPorts ports = memoryPorts(hw.params());
  w.constant("LoadDmas", static_cast<uint64_t>(ports.loadDmas()));
  w.constant("PortInp", static_cast<uint64_t>(ports.inp));
  w.constant("PortWgt", static_cast<uint64_t>(ports.wgt));
  w.constant("PortStore", static_cast<uint64_t>(ports.store));
  for (const MemoryType type : {MemoryType::kUop, MemoryType::kInp, MemoryType::kWgt}) {
    w.constant(fmt::format("{}Lanes", memoryInfo(type).sv_name),
               static_cast<uint64_t>(lanesOf(hw, type)));
  }
  w.constant("InpBanks", static_cast<uint64_t>(inpBanks(hw)));
}

void writeDepthwise(PackageWriter& w, const HwConfig& hw) {
  w.section("Depthwise GEMM: elements of INP for an iteration, and what its instructions hold");
  w.constant("InpReadElems", inpReadElems(hw.params()));
  w.constant("DepthwiseProducts", static_cast<uint64_t>(depthwiseProducts(hw)));
  w.constant("DepthwiseIterInWidth", kDepthwiseIterBits);
  w.constant("TapsWidth", kTapsBits);
}

void writeBuild(PackageWriter& w, const HwConfig& hw, const SvPackageOptions& options) {
  w.section("Build");
  w.flag("Int8Packing", options.build.int8_packing);
  w.flag("FastSimulation", options.fast_simulation);
  w.flag("CountersEnable", options.build.counters);
  w.hex("Fingerprint", 64, hw.fingerprint());
}

void writeTiming(PackageWriter& w, const HwConfig& hw) {
  w.section("Timing: docs/timing.md, \"Constants\"");
  for (const timing::Constant& constant : timing::kConstants) {
    w.constant(constant.name, constant.value);
  }
  w.constant("GemmDepth", timing::gemmDepth(hw.params()));
  w.constant("AccLatency", timing::accLatency(hw.params()));
  w.constant("RequantShiftLsb", static_cast<uint64_t>(requantShiftLsb(hw.params())));
  w.constant("TableWidth", static_cast<uint64_t>(tableWidth(hw)));
  w.constant("TableWords", kTableWords);
  w.constant("TableIndexWidth", std::bit_width(kTableWords - 1));
  // The widths of a burst's length, of an index into the reorder buffer, and of a bank's number.
  w.constant("BurstLenWidth", std::bit_width(w.valueOf("MaxBurstBeats")));
  w.constant("ReorderWidth", std::bit_width(timing::kReorderDepth - 1));
  w.constant("AccLogBanks", std::bit_width(w.valueOf("AccBanks") - 1));
  w.constant("AccFilledBanks", static_cast<uint64_t>(accFilledBanks(hw)));
}

void writeRegisters(PackageWriter& w, const HardwareIdentity& identity) {
  w.section("Control registers: offsets, positions of fields, and values that never change");
  for (const RegisterInfo& info : controlRegisters()) {
    w.hex("Reg" + camelCase(info.name), 12, info.offset);
    for (const RegisterField& field : info.fields) {
      w.constant(fmt::format("Reg{}{}Lsb", camelCase(info.name), camelCase(field.name)),
                 static_cast<uint64_t>(field.lsb));
    }
  }
  w.hex("RegIdValue", 32, identity.id);
  w.hex("RegVersionValue", 32, identity.version);
  w.hex("RegConfigValue", 32, identity.config);
  w.hex("RegDepthsValue", 32, identity.depths);
  w.hex("RegLastUopInpValue", 32, identity.last_uop_inp);
  w.hex("RegLastWgtAccValue", 32, identity.last_wgt_acc);
  w.hex("RegExtensionsValue", 32, identity.extension_bits);
}

void writeFaultCodes(PackageWriter& w) {
  w.section("Faults: codes of the fault register");
  const std::pair<std::string, reg::FaultCode> faults[] = {
      {"None", reg::FaultCode::kNone},
      {"IllegalInstruction", reg::FaultCode::kIllegalInstruction},
      {"SramBounds", reg::FaultCode::kSramBounds},
      {"BadLaunch", reg::FaultCode::kBadLaunch},
      {"TokenOverflow", reg::FaultCode::kTokenOverflow},
      {"TokensLeftOver", reg::FaultCode::kTokensLeftOver},
      {"Deadlock", reg::FaultCode::kDeadlock},
      {"BusError", reg::FaultCode::kBusError}};
  std::vector<std::pair<std::string, uint64_t>> codes;
  for (const auto& [name, code] : faults) codes.emplace_back(name, static_cast<uint64_t>(code));
  w.codes("fault_code_e", "Fault", 4, codes);
}

}  // namespace

std::string svPackage(const HwConfig& hw, const SvPackageOptions& options) {
  PackageWriter w;
  w.raw(
      "// Generated from a hardware configuration: do not edit. A design uses a part of it only.\n"
      "// verilator lint_off UNUSEDPARAM\n"
      "package vta_pkg;\n");
  writeParameters(w, hw);
  writeMemories(w, hw);
  writeBus(w, hw);
  writeBuild(w, hw, options);
  writeEncoding(w, hw);
  writeOpcodes(w);
  writeMemoryTypes(w, hw);
  writeAluOperations(w, hw);
  writeDepthwise(w, hw);
  writeTranspose(w, hw);
  writeTiming(w, hw);
  writeRegisters(w, identityOf(hw, options.build));
  writeFaultCodes(w);
  w.raw("\n");
  w.raw(options.include_types ? "`include \"vta_types.svh\"\n" : detail::kSvTypes);
  w.raw("endpackage\n// verilator lint_on UNUSEDPARAM\n");
  return w.take();
}

}  // namespace vta
