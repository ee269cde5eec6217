#include "isa/rtl/sv_package.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cctype>
#include <span>
#include <string_view>
#include <vector>

#include "isa/instruction/encoding.h"
#include "isa/instruction/instruction.h"
#include "isa/registers/registers.h"
#include "isa/rtl/sv_types.h"

namespace vta {
namespace {

/// "uop_bgn" to "UopBgn".
std::string camelCase(std::string_view snake) {
  std::string text;
  bool upper = true;
  for (const char c : snake) {
    if (c == '_') {
      upper = true;
      continue;
    }
    text += upper ? static_cast<char>(std::toupper(static_cast<unsigned char>(c))) : c;
    upper = false;
  }
  return text;
}

class PackageWriter {
 public:
  void section(std::string_view title) { text_ += fmt::format("\n  // {}\n", title); }

  void constant(std::string_view name, uint64_t value) {
    text_ += fmt::format("  localparam int unsigned {} = {};\n", name, value);
  }

  void flag(std::string_view name, bool value) {
    text_ += fmt::format("  localparam bit {} = 1'b{};\n", name, value ? 1 : 0);
  }

  void code(std::string_view name, int width_bits, uint64_t value) {
    text_ += fmt::format("  localparam logic [{}:0] {} = {}'d{};\n", width_bits - 1, name,
                         width_bits, value);
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

  std::string take() { return std::move(text_); }
  void raw(std::string_view text) { text_ += text; }

 private:
  std::string text_;
};

void writeGeometry(PackageWriter& w, const HwConfig& hw) {
  const HwParams& p = hw.params();
  w.section("Geometry");
  w.constant("Batch", static_cast<uint64_t>(p.batch));
  w.constant("BlockIn", static_cast<uint64_t>(p.block_in));
  w.constant("BlockOut", static_cast<uint64_t>(p.block_out));
  w.constant("InpWidth", static_cast<uint64_t>(p.inp_width_bits));
  w.constant("WgtWidth", static_cast<uint64_t>(p.wgt_width_bits));
  w.constant("AccWidth", static_cast<uint64_t>(p.acc_width_bits));
  w.constant("OutWidth", static_cast<uint64_t>(p.out_width_bits));
  w.section("Elements in DRAM and depths of the scratchpads, in elements");
  const std::pair<std::string_view, MemoryType> memories[] = {
      {"Uop", MemoryType::kUop}, {"Wgt", MemoryType::kWgt}, {"Inp", MemoryType::kInp},
      {"Acc", MemoryType::kAcc}, {"Out", MemoryType::kOut}, {"Acc8", MemoryType::kAcc8}};
  for (const auto& [name, type] : memories) {
    w.constant(fmt::format("{}ElemBits", name), uint64_t{hw.elemBytes(type)} * 8);
    w.constant(fmt::format("{}ElemBytes", name), hw.elemBytes(type));
    w.constant(fmt::format("{}LogElemBytes", name),
               static_cast<uint64_t>(std::countr_zero(hw.elemBytes(type))));
    w.constant(fmt::format("{}LogDepth", name), static_cast<uint64_t>(hw.logDepth(type)));
    w.constant(fmt::format("{}Depth", name), hw.depthElems(type));
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

void writeCodes(PackageWriter& w, const HwConfig& hw) {
  w.section("Codes");
  for (const Opcode code :
       {Opcode::kLoad, Opcode::kStore, Opcode::kGemm, Opcode::kFinish, Opcode::kAlu}) {
    std::string name(opcodeName(code));
    std::ranges::transform(name, name.begin(), [](unsigned char c) { return std::tolower(c); });
    w.code("Opcode" + camelCase(name), 3, static_cast<uint64_t>(code));
  }
  w.code("MemTypeUop", 3, static_cast<uint64_t>(MemoryType::kUop));
  w.code("MemTypeWgt", 3, static_cast<uint64_t>(MemoryType::kWgt));
  w.code("MemTypeInp", 3, static_cast<uint64_t>(MemoryType::kInp));
  w.code("MemTypeAcc", 3, static_cast<uint64_t>(MemoryType::kAcc));
  w.code("MemTypeOut", 3, static_cast<uint64_t>(MemoryType::kOut));
  w.code("MemTypeAcc8", 3, static_cast<uint64_t>(MemoryType::kAcc8));
  for (const AluOpcode code : {AluOpcode::kMin, AluOpcode::kMax, AluOpcode::kAdd, AluOpcode::kShr,
                               AluOpcode::kMul, AluOpcode::kQmul, AluOpcode::kClip}) {
    std::string name(aluOpcodeName(code));
    std::ranges::transform(name, name.begin(), [](unsigned char c) { return std::tolower(c); });
    w.code("AluOp" + camelCase(name), 3, static_cast<uint64_t>(code));
  }
  w.section("Extensions");
  const HwParams& p = hw.params();
  w.flag("ExtQmul", p.ext_qmul);
  w.flag("ExtClip", p.ext_clip);
  w.flag("ExtPadMin", p.ext_pad_min);
  w.constant("QmulMultiplierBits", static_cast<uint64_t>(p.qmul_multiplier_bits));
}

/// Elements of `type` that one beat of the bus can hold, and a scratchpad takes in one cycle.
uint64_t lanesOf(const HwConfig& hw, MemoryType type) {
  const auto bus_bytes = static_cast<uint32_t>(hw.params().axi_data_width_bits / 8);
  return std::max<uint32_t>(1, bus_bytes / hw.elemBytes(type));
}

void writeMicroArchitecture(PackageWriter& w, const HwConfig& hw, const SvPackageOptions& options) {
  const HwParams& p = hw.params();
  const auto bus_bytes = static_cast<unsigned>(p.axi_data_width_bits / 8);
  w.section("Queues, bus and micro-architecture");
  w.constant("CommandDepth", static_cast<uint64_t>(p.command_queue_depth));
  w.constant("TokenDepth", static_cast<uint64_t>(p.token_queue_depth));
  w.constant("AxiDataWidth", static_cast<uint64_t>(p.axi_data_width_bits));
  w.constant("AxiBytes", bus_bytes);
  w.constant("AxiLogBytes", static_cast<uint64_t>(std::countr_zero(bus_bytes)));
  w.constant("InpLanes", lanesOf(hw, MemoryType::kInp));
  w.constant("WgtLanes", lanesOf(hw, MemoryType::kWgt));
  w.constant("UopLanes", lanesOf(hw, MemoryType::kUop));
  w.constant("AxiAddrWidth", static_cast<uint64_t>(p.axi_addr_width_bits));
  w.constant("AxiIdWidth", 2);
  w.constant("OutstandingBursts", static_cast<uint64_t>(p.axi_outstanding_bursts));
  w.flag("ConcurrentCompute", p.concurrent_compute);
  w.flag("Int8Packing", options.int8_packing);
  w.flag("CountersEnable", options.counters);
  w.hex("Fingerprint", 64, hw.fingerprint());
}

void writeRegisters(PackageWriter& w) {
  w.section("Control registers");
  for (const RegisterInfo& info : controlRegisters()) {
    w.hex("Reg" + camelCase(info.name), 12, info.offset);
  }
  w.hex("RegIdValue", 32, reg::kIdValue);
  w.constant("RegVersionValue", reg::kVersionValue);
  const std::pair<std::string_view, reg::FaultCode> faults[] = {
      {"None", reg::FaultCode::kNone},
      {"IllegalInstruction", reg::FaultCode::kIllegalInstruction},
      {"SramBounds", reg::FaultCode::kSramBounds},
      {"BadLaunch", reg::FaultCode::kBadLaunch},
      {"TokenOverflow", reg::FaultCode::kTokenOverflow},
      {"TokensLeftOver", reg::FaultCode::kTokensLeftOver},
      {"Deadlock", reg::FaultCode::kDeadlock},
      {"BusError", reg::FaultCode::kBusError}};
  for (const auto& [name, code] : faults) {
    w.code(fmt::format("Fault{}", name), 4, static_cast<uint64_t>(code));
  }
}

}  // namespace

std::string svPackage(const HwConfig& hw, const SvPackageOptions& options) {
  PackageWriter w;
  w.raw(
      "// Generated from a hardware configuration: do not edit. A design uses a part of it only.\n"
      "// verilator lint_off UNUSEDPARAM\n"
      "package vta_pkg;\n");
  writeGeometry(w, hw);
  writeEncoding(w, hw);
  writeCodes(w, hw);
  writeMicroArchitecture(w, hw, options);
  writeRegisters(w);
  w.raw("\n");
  w.raw(options.include_types ? "`include \"vta_types.svh\"\n" : detail::kSvTypes);
  w.raw("endpackage\n// verilator lint_on UNUSEDPARAM\n");
  return w.take();
}

}  // namespace vta
