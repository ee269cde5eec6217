// The generated package has the positions, widths, codes, depths and registers of the C++ tables:
// each constant in it is compared by one of the groups below, and none is left over.
#include "isa/rtl/sv_package.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cctype>
#include <charconv>
#include <fstream>
#include <map>
#include <regex>
#include <sstream>

#include "isa/config/config_rules.h"
#include "isa/instruction/encoding.h"
#include "isa/registers/registers.h"
#include "isa/spec/lookup_table.h"
#include "isa/spec/timing.h"

namespace vta {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

std::string readFile(const std::string& path) {
  std::ifstream file(path);
  EXPECT_TRUE(file.is_open()) << path;
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

const std::string kPackageFolder = VTA_SOURCE_DIR "/hw/vta_rtl/package/";

/// "uop_bgn" and "ALU" to "UopBgn" and "Alu".
std::string camelCase(std::string_view snake) {
  std::string text;
  bool upper = true;
  for (const char c : snake) {
    if (c != '_') {
      const auto letter = static_cast<unsigned char>(c);
      text += static_cast<char>(upper ? std::toupper(letter) : std::tolower(letter));
    }
    upper = c == '_';
  }
  return text;
}

// The constants of a package by name, until they are expected.
class Constants {
 public:
  explicit Constants(const std::string& text) {
    static const std::regex constant(R"((\w+) = (?:(\d+)'([bdh]))?([0-9a-f]+)[;,\n])");
    for (std::sregex_iterator it(text.begin(), text.end(), constant), end; it != end; ++it) {
      const std::smatch& match = *it;
      const std::string digits = match[4];
      const int base = match[3] == "h" ? 16 : match[3] == "b" ? 2 : 10;
      Constant value = {match[2].matched ? std::stoi(match[2]) : 0, 0};
      const char* last = digits.data() + digits.size();
      EXPECT_EQ(std::from_chars(digits.data(), last, value.value, base).ptr, last) << match.str();
      EXPECT_TRUE(left_.emplace(match[1], value).second) << match[1] << " is there twice";
    }
  }

  /// There is a constant of this value, `width_bits` wide; 0 is that of an unsigned integer.
  void expect(const std::string& name, uint64_t value, int width_bits = 0) {
    const auto found = left_.find(name);
    ASSERT_NE(found, left_.end()) << name;
    EXPECT_EQ(found->second.value, value) << name;
    EXPECT_EQ(found->second.width_bits, width_bits) << name;
    left_.erase(found);
  }
  void expectFlag(const std::string& name, bool value) { expect(name, value ? 1 : 0, 1); }

  std::vector<std::string> left() const {
    std::vector<std::string> names;
    for (const auto& [name, value] : left_) names.push_back(name);
    return names;
  }

 private:
  struct Constant {
    int width_bits = 0;
    uint64_t value = 0;
  };
  std::map<std::string, Constant> left_;
};

void expectGeometry(Constants& constants, const HwConfig& hw) {
  const HwParams& p = hw.params();
  constants.expect("Batch", uint64_t(p.batch));
  constants.expect("BlockIn", uint64_t(p.block_in));
  constants.expect("BlockOut", uint64_t(p.block_out));
  constants.expect("InpWidth", uint64_t(p.inp_width_bits));
  constants.expect("WgtWidth", uint64_t(p.wgt_width_bits));
  constants.expect("AccWidth", uint64_t(p.acc_width_bits));
  constants.expect("OutWidth", uint64_t(p.out_width_bits));
}

/// The package's name of a memory: "Uop", "Acc8".
std::string memoryName(MemoryType type) {
  return type == MemoryType::kAcc8 ? "Acc8" : camelCase(memoryTypeName(type));
}

/// Bits of the memory types that LOAD takes, and of those of the load unit.
void expectMemoryTypeSets(Constants& constants, const HwConfig& hw) {
  const uint64_t transposed = hw.params().ext_transpose ? 1 << 6 : 0;
  const uint64_t handover = hw.params().ext_handover ? 1 << 7 : 0;
  constants.expect("MemTypesLoaded", 0b101111 | transposed | handover, 8);
  constants.expect("MemTypesOfLoadUnit", 0b110 | transposed | handover, 8);
}

void expectMemories(Constants& constants, const HwConfig& hw) {
  for (int i = 0; i < kMemoryTypeCount; ++i) {
    const auto type = static_cast<MemoryType>(i);
    const std::string name = memoryName(type);
    const uint64_t elem_bytes = hw.elemBytes(type);
    constants.expect(name + "ElemBytes", elem_bytes);
    // Accumulators have fewer bits in ACC than in DRAM.
    const HwParams& p = hw.params();
    const auto acc_bits = uint64_t(p.batch * p.block_out * p.acc_width_bits);
    constants.expect(name + "ElemBits", type == MemoryType::kAcc ? acc_bits : elem_bytes * 8);
    constants.expect(name + "LogElemBytes", uint64_t(std::countr_zero(elem_bytes)));
    constants.expect(name + "Depth", hw.depthElems(type));
    constants.expect(name + "LogDepth", uint64_t(hw.logDepth(type)));
    constants.expect("MemType" + name, uint64_t(i), 3);
  }
  expectMemoryTypeSets(constants, hw);
}

/// The fields from `first` on, under the package's name of their instruction.
void expectFields(Constants& constants, const std::string& prefix,
                  const std::vector<FieldInfo>& fields, size_t first) {
  ASSERT_LE(first, fields.size());
  for (size_t i = first; i < fields.size(); ++i) {
    const std::string name = prefix + camelCase(fields[i].name);
    constants.expect(name + "Lsb", uint64_t(fields[i].lsb));
    constants.expect(name + "Width", uint64_t(fields[i].width_bits));
  }
}

void expectEncoding(Constants& constants, const HwConfig& hw) {
  const auto bytes = uint64_t(hw.instructionBytes());
  constants.expectFlag("WideEncoding", hw.encoding() == Encoding::kWide);
  constants.expect("InsnBytes", bytes);
  constants.expect("InsnBits", bytes * 8);
  constants.expect("InsnLogBytes", uint64_t(std::countr_zero(bytes)));
  // What all instructions have, opcode and token flags, is FINISH's.
  const std::vector<FieldInfo> common = instructionFields(Opcode::kFinish, hw);
  expectFields(constants, "Insn", common, 0);
  expectFields(constants, "Mem", instructionFields(Opcode::kLoad, hw), common.size());
  expectFields(constants, "Gemm", instructionFields(Opcode::kGemm, hw), common.size());
  expectFields(constants, "Alu", instructionFields(Opcode::kAlu, hw), common.size());
  expectFields(constants, "Uop", uopFields(hw), 0);
}

void expectOpcodes(Constants& constants) {
  for (const Opcode code :
       {Opcode::kLoad, Opcode::kStore, Opcode::kGemm, Opcode::kFinish, Opcode::kAlu}) {
    constants.expect("Opcode" + camelCase(opcodeName(code)), uint64_t(code), 3);
  }
}

void expectAluOperations(Constants& constants, const HwConfig& hw) {
  const int op_width = std::bit_width(static_cast<unsigned>(maxAluCode()));
  for (const AluOperation& operation : kAluOperations) {
    constants.expect("AluOp" + camelCase(operation.name), uint64_t(operation.opcode), op_width);
  }
  // A bit for each code.
  const std::string sets[] = {"AluIsThere",    "AluTakesTensor", "AluTakesImmediate",
                              "AluImmIsShift", "AluImmIsRange",  "AluImmIsZero"};
  std::map<std::string, uint64_t> bits;
  for (const AluOperation& operation : kAluOperations) {
    const uint64_t bit = uint64_t{1} << static_cast<int>(operation.opcode);
    if (hasAluOperation(hw.params(), operation)) bits["AluIsThere"] |= bit;
    if (operation.operand != AluOperand::kImmediate) bits["AluTakesTensor"] |= bit;
    const bool reads_acc =
        operation.operand == AluOperand::kTensor || operation.operand == AluOperand::kPair;
    if (!reads_acc) bits["AluTakesImmediate"] |= bit;
    if (operation.immediate == AluImmediate::kShift) bits["AluImmIsShift"] |= bit;
    if (operation.immediate == AluImmediate::kByteRange) bits["AluImmIsRange"] |= bit;
    if (operation.immediate == AluImmediate::kZero) bits["AluImmIsZero"] |= bit;
  }
  for (const std::string& set : sets) constants.expect(set, bits[set], 1 << op_width);
  constants.expectFlag("AluHasPages", bits["AluIsThere"] >= 1 << 8);
  constants.expect("AluOpWidth", op_width);
  constants.expect("AluMaxShift", uint64_t{kMaxAluShift});
}

void expectExtensions(Constants& constants, const HwConfig& hw) {
  const HwParams& p = hw.params();
  constants.expectFlag("ExtQmul", p.ext_qmul);
  constants.expectFlag("ExtClip", p.ext_clip);
  constants.expectFlag("ExtPadMin", p.ext_pad_min);
  constants.expectFlag("ExtPrelu", p.ext_prelu);
  constants.expectFlag("ExtRequant", p.ext_requant);
  constants.expectFlag("ExtDepthwise", p.ext_depthwise);
  constants.expectFlag("ExtLut", p.ext_lut);
  constants.expectFlag("ExtTranspose", p.ext_transpose);
  constants.expectFlag("ExtHandover", p.ext_handover);
  constants.expect("TransposeWidth", p.ext_transpose ? 8 : 0);
  constants.expect("QmulMultiplierBits", uint64_t(p.qmul_multiplier_bits));
  constants.expect("DepthwiseTaps", uint64_t(p.depthwise_taps));
  constants.expect("InpReadElems", p.ext_depthwise ? uint64_t(p.depthwise_taps) : 1);
  constants.expect("DepthwiseProducts", p.ext_depthwise ? 2 * uint64_t(p.depthwise_taps) : 0);
  constants.expect("InpBanks", uint64_t(inpBanks(hw)));
  constants.expect("TapsWidth", 3);
  constants.expect("DepthwiseIterInWidth", 11);
}

void expectQueuesAndBus(Constants& constants, const HwConfig& hw) {
  const HwParams& p = hw.params();
  const auto beat_bytes = uint64_t(p.axi_data_width_bits) / 8;
  constants.expect("CommandDepth", uint64_t(p.command_queue_depth));
  constants.expect("TokenDepth", uint64_t(p.token_queue_depth));
  constants.expect("AxiDataWidth", uint64_t(p.axi_data_width_bits));
  constants.expect("AxiBytes", beat_bytes);
  constants.expect("AxiLogBytes", uint64_t(std::countr_zero(beat_bytes)));
  constants.expect("AxiAddrWidth", uint64_t(p.axi_addr_width_bits));
  constants.expect("AxiIdWidth", 2);
  constants.expect("OutstandingBursts", uint64_t(p.axi_outstanding_bursts));
  constants.expect("MaxBurstBeats", uint64_t(p.axi_max_burst_beats));
  // With two ports weights have one; with four INP, WGT and stores each have one.
  const bool has_wgt_port = p.axi_ports > 1;
  const bool has_four = p.axi_ports == 4;
  constants.expect("AxiPorts", uint64_t(p.axi_ports));
  constants.expect("LoadDmas", has_wgt_port ? 2 : 1);
  constants.expect("PortWgt", has_wgt_port ? 1 : 0);
  constants.expect("PortInp", has_four ? 2 : 0);
  constants.expect("PortStore", has_four ? 3 : 0);
  constants.expect("BurstLenWidth", uint64_t(std::bit_width(uint64_t(p.axi_max_burst_beats))));
  // The elements of a beat.
  for (const MemoryType type : {MemoryType::kInp, MemoryType::kWgt, MemoryType::kUop}) {
    constants.expect(memoryName(type) + "Lanes",
                     std::max<uint64_t>(1, beat_bytes / hw.elemBytes(type)));
  }
}

void expectBuildOptions(Constants& constants, const HwConfig& hw, const SvPackageOptions& options) {
  constants.expectFlag("ConcurrentCompute", hw.params().concurrent_compute);
  constants.expect("AluPasses", uint64_t(hw.params().alu_passes));
  constants.expect("Multipliers", uint64_t(hw.params().multipliers));
  constants.expect("MultipliersPacked", 0);
  constants.expect("MultipliersDoublePumped", 1);
  constants.expect("MultipliersSingle", 2);
  constants.expect("MultipliersLut", 3);
  constants.expectFlag("Int8Packing", options.build.int8_packing);
  constants.expectFlag("FastSimulation", options.fast_simulation);
  constants.expectFlag("CountersEnable", options.build.counters);
  constants.expect("Fingerprint", hw.fingerprint(), 64);
}

void expectTiming(Constants& constants, const HwConfig& hw) {
  for (const timing::Constant& constant : timing::kConstants) {
    constants.expect(std::string(constant.name), constant.value);
  }
  constants.expect("AccLatency", timing::accLatency(hw.params()));
  constants.expect("GemmDepth", timing::gemmDepth(hw.params()));
  constants.expect("Pipeline", static_cast<uint64_t>(hw.params().pipeline));
  constants.expect("PipelineFast", 0);
  constants.expect("PipelineRelaxed", 1);
  constants.expect("TableWidth", hw.params().ext_lut ? 32 : 0);
  constants.expect("RequantShiftLsb", uint64_t(hw.params().acc_width_bits - 6));
  constants.expect("TableWords", uint64_t{kTableWords});
  constants.expect("TableIndexWidth", 6);
  constants.expect("ReorderWidth", uint64_t(std::bit_width(timing::kReorderDepth - 1)));
  constants.expect("AccBanks", uint64_t(hw.params().acc_banks));
  constants.expect("AccLogBanks", uint64_t(std::countr_zero(unsigned(hw.params().acc_banks))));
  constants.expect("AccFilledBanks", std::min(uint32_t(hw.params().acc_banks),
                                              std::bit_floor(hw.depthElems(MemoryType::kAcc))));
}

void expectRegisters(Constants& constants, const HwConfig& hw, const SvPackageOptions& options) {
  for (const RegisterInfo& info : controlRegisters()) {
    const std::string name = "Reg" + camelCase(info.name);
    constants.expect(name, info.offset, 12);
    for (const RegisterField& field : info.fields) {
      constants.expect(name + camelCase(field.name) + "Lsb", uint64_t(field.lsb));
    }
  }
  const HardwareIdentity identity = identityOf(hw, options.build);
  constants.expect("RegIdValue", reg::kIdValue, 32);
  constants.expect("RegVersionValue", reg::kVersionValue, 32);
  constants.expect("RegConfigValue", identity.config, 32);
  constants.expect("RegDepthsValue", identity.depths, 32);
  constants.expect("RegLastUopInpValue", identity.last_uop_inp, 32);
  constants.expect("RegLastWgtAccValue", identity.last_wgt_acc, 32);
  constants.expect("RegExtensionsValue", identity.extension_bits, 32);
}

void expectFaultCodes(Constants& constants) {
  using reg::FaultCode;
  const std::pair<std::string, FaultCode> codes[] = {
      {"None", FaultCode::kNone},
      {"IllegalInstruction", FaultCode::kIllegalInstruction},
      {"SramBounds", FaultCode::kSramBounds},
      {"BadLaunch", FaultCode::kBadLaunch},
      {"TokenOverflow", FaultCode::kTokenOverflow},
      {"TokensLeftOver", FaultCode::kTokensLeftOver},
      {"Deadlock", FaultCode::kDeadlock},
      {"BusError", FaultCode::kBusError}};
  for (const auto& [name, code] : codes) constants.expect("Fault" + name, uint64_t(code), 4);
}

HwConfig wideConfig() {
  HwParams p;
  p.acc_buf_bytes = 512 * 1024;
  p.axi_data_width_bits = 512;
  return HwConfig::create(p).value();
}

/// Different from the default in as much as can be: blocks, batch, buffers, bus, queues, options.
HwConfig unlikeDefault() {
  HwParams p;
  p.batch = 2;
  p.block_in = 8;
  p.block_out = 4;
  p.uop_buf_bytes = 4 * 1024;
  p.inp_buf_bytes = 8 * 1024;
  p.wgt_buf_bytes = 16 * 1024;
  p.acc_buf_bytes = 64 * 1024;
  p.ext_qmul = p.ext_pad_min = false;
  p.acc_width_bits = 25;
  p.pipeline = Pipeline::kRelaxed;
  p.qmul_multiplier_bits = 20;
  p.command_queue_depth = 9;
  p.token_queue_depth = 7;
  p.axi_data_width_bits = 256;
  p.axi_addr_width_bits = 40;
  p.axi_outstanding_bursts = 3;
  p.axi_max_burst_beats = 100;
  p.concurrent_compute = false;
  return HwConfig::create(p).value();
}

TEST(SvPackage, EveryConstantIsTheTables) {
  for (const HwConfig& hw : {HwConfig::makeDefault(), wideConfig(), unlikeDefault()}) {
    for (const bool on : {true, false}) {
      SCOPED_TRACE(fmt::format("{}, options {}", hw.summary(), on));
      const SvPackageOptions options = {.build = {.int8_packing = on, .counters = !on},
                                        .include_types = true,
                                        .fast_simulation = on};
      Constants constants(svPackage(hw, options));
      expectGeometry(constants, hw);
      expectMemories(constants, hw);
      expectEncoding(constants, hw);
      expectOpcodes(constants);
      expectAluOperations(constants, hw);
      expectExtensions(constants, hw);
      expectQueuesAndBus(constants, hw);
      expectBuildOptions(constants, hw, options);
      expectTiming(constants, hw);
      expectRegisters(constants, hw, options);
      expectFaultCodes(constants);
      EXPECT_THAT(constants.left(), IsEmpty());
    }
  }
}

/// The rows of a table of docs/timing.md whose value is a number.
std::map<std::string, uint64_t> documentedConstants() {
  const std::string page = readFile(VTA_SOURCE_DIR "/docs/timing.md");
  std::map<std::string, uint64_t> values;
  static const std::regex row(R"(\n\| (\w+) \| (\d+) \|)");
  for (std::sregex_iterator it(page.begin(), page.end(), row), end; it != end; ++it) {
    values[(*it)[1]] = std::stoull((*it)[2]);
  }
  return values;
}

TEST(SvPackage, TimingConstantsAreTheContracts) {
  std::map<std::string, uint64_t> constants;
  for (const timing::Constant& constant : timing::kConstants) {
    constants.emplace(constant.name, constant.value);
  }
  EXPECT_EQ(documentedConstants(), constants);
}

// The decoded transfer has the width of each field in both encodings.
TEST(SvPackage, DecodedTransfersHoldTheirFields) {
  const std::string types = readFile(kPackageFolder + "vta_types.svh");
  for (const HwConfig& hw : {HwConfig::makeDefault(), wideConfig()}) {
    const size_t common = instructionFields(Opcode::kFinish, hw).size();
    const std::vector<FieldInfo> fields = instructionFields(Opcode::kLoad, hw);
    for (size_t i = common; i < fields.size(); ++i) {
      if (fields[i].name == "pad_kind") continue;  // decoded to a flag
      // memory_type is an enumeration, whose width EveryConstantIsTheTables checks.
      const std::string type = fields[i].name == "memory_type"
                                   ? "mem_type_e"
                                   : fmt::format(R"(logic \[{}:0\])", fields[i].width_bits - 1);
      const std::regex member(fmt::format("{} +{};", type, std::string(fields[i].name)));
      EXPECT_TRUE(std::regex_search(types, member)) << fields[i].name;
      EXPECT_THAT(types, HasSubstr(fmt::format("cmd[Mem{}Lsb+:{}]", camelCase(fields[i].name),
                                               fields[i].width_bits)));
    }
  }
}

TEST(SvPackage, ThatOfTheDefaultIsInTheTree) {
  EXPECT_EQ(readFile(kPackageFolder + "vta_pkg.sv"),
            svPackage(HwConfig::makeDefault(), {.include_types = true}))
      << "write it with: vta-info --rtl-package hw/vta_rtl/package/vta_pkg.sv "
         "--rtl-include-types --hw configs/hw/default.yaml";
}

TEST(SvPackage, HoldsTheTypes) {
  const std::string include = "`include \"vta_types.svh\"\n";
  const HwConfig hw = unlikeDefault();
  std::string text = svPackage(hw, {.include_types = true});
  const size_t at = text.find(include);
  ASSERT_NE(at, std::string::npos);
  text.replace(at, include.size(), readFile(kPackageFolder + "vta_types.svh"));
  EXPECT_EQ(svPackage(hw), text);
}

TEST(SvPackage, NamesDoNotChangeIt) {
  HwParams p = HwConfig::makeDefault().params();
  p.name = "another";
  p.clock_hz = 300'000'000;
  EXPECT_EQ(svPackage(HwConfig::create(p).value()), svPackage(HwConfig::makeDefault()));
  p.token_queue_depth = 7;
  EXPECT_NE(svPackage(HwConfig::create(p).value()), svPackage(HwConfig::makeDefault()));
}

}  // namespace
}  // namespace vta
