#include "isa/instruction/encoding.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <map>

#include "tests/isa/config/random_config.h"

namespace vta {
namespace {

using ::testing::HasSubstr;

HwConfig withoutExtensions() {
  HwParams params;
  params.name = "plain";
  params.ext_qmul = params.ext_clip = params.ext_pad_min = false;
  return *HwConfig::create(params);
}

HwConfig wideConfig() { return *loadHwConfig(VTA_SOURCE_DIR "/configs/hw/wide.yaml"); }

uint64_t wordOf(const std::vector<std::byte>& bytes, int index) {
  uint64_t word = 0;
  std::memcpy(&word, bytes.data() + index * 8, sizeof(word));
  return word;
}

std::map<std::string, std::pair<int, int>> positions(const std::vector<FieldInfo>& fields) {
  std::map<std::string, std::pair<int, int>> result;
  for (const FieldInfo& f : fields) {
    result[std::string(f.name)] = {f.lsb + f.width_bits - 1, f.lsb};
  }
  return result;
}

using Positions = std::map<std::string, std::pair<int, int>>;
const Positions kCommon = {{"opcode", {2, 0}},
                           {"pop_prev", {3, 3}},
                           {"pop_next", {4, 4}},
                           {"push_prev", {5, 5}},
                           {"push_next", {6, 6}}};

Positions withCommon(Positions rest) {
  rest.insert(kCommon.begin(), kCommon.end());
  return rest;
}

// The published bit positions of the default configuration.
TEST(Encoding, DefaultPositionsOfMemoryInstructionsAreThePublishedOnes) {
  const Positions expected = withCommon({{"memory_type", {9, 7}},
                                         {"sram_base", {25, 10}},
                                         {"dram_base", {57, 26}},
                                         {"pad_kind", {63, 58}},
                                         {"y_size", {79, 64}},
                                         {"x_size", {95, 80}},
                                         {"x_stride", {111, 96}},
                                         {"y_pad_0", {115, 112}},
                                         {"y_pad_1", {119, 116}},
                                         {"x_pad_0", {123, 120}},
                                         {"x_pad_1", {127, 124}}});
  const HwConfig hw = HwConfig::makeDefault();
  EXPECT_EQ(positions(instructionFields(Opcode::kLoad, hw)), expected);
  EXPECT_EQ(positions(instructionFields(Opcode::kStore, hw)), expected);
  EXPECT_EQ(positions(instructionFields(Opcode::kFinish, hw)), kCommon);
}

TEST(Encoding, DefaultPositionsOfGemmAreThePublishedOnes) {
  EXPECT_EQ(positions(instructionFields(Opcode::kGemm, HwConfig::makeDefault())),
            withCommon({{"reset", {7, 7}},
                        {"uop_bgn", {20, 8}},
                        {"uop_end", {34, 21}},
                        {"iter_out", {48, 35}},
                        {"iter_in", {62, 49}},
                        {"depthwise", {63, 63}},
                        {"dst_factor_out", {74, 64}},
                        {"dst_factor_in", {85, 75}},
                        {"src_factor_out", {96, 86}},
                        {"src_factor_in", {107, 97}},
                        {"wgt_factor_out", {117, 108}},
                        {"wgt_factor_in", {127, 118}}}));
}

TEST(Encoding, DefaultPositionsOfAluAndMicroOpsAreThePublishedOnes) {
  const HwConfig hw = HwConfig::makeDefault();
  EXPECT_EQ(positions(instructionFields(Opcode::kAlu, hw)),
            withCommon({{"reset", {7, 7}},
                        {"uop_bgn", {20, 8}},
                        {"uop_end", {34, 21}},
                        {"iter_out", {48, 35}},
                        {"iter_in", {62, 49}},
                        {"alu_page", {63, 63}},
                        {"dst_factor_out", {74, 64}},
                        {"dst_factor_in", {85, 75}},
                        {"src_factor_out", {96, 86}},
                        {"src_factor_in", {107, 97}},
                        {"alu_opcode", {110, 108}},
                        {"use_imm", {111, 111}},
                        {"imm", {127, 112}}}));
  EXPECT_EQ(positions(uopFields(hw)),
            (Positions{{"dst_idx", {10, 0}}, {"src_idx", {21, 11}}, {"wgt_idx", {31, 22}}}));
}

// Words computed by hand from the published positions.
TEST(Encoding, GoldenLoad) {
  MemInsn mem;
  mem.memory_type = MemoryType::kInp;
  mem.sram_base = 5;
  mem.dram_base = 0x12345678;
  mem.y_size = 3;
  mem.x_size = 14;
  mem.x_stride = 56;
  mem.y_pad_0 = 1;
  mem.y_pad_1 = 2;
  mem.x_pad_0 = 3;
  mem.x_pad_1 = 4;
  std::vector<std::byte> bytes;
  const Tokens tokens{.pop_next = true, .push_next = true};
  ASSERT_TRUE(
      encodeInstruction(Instruction::load(mem, tokens), HwConfig::makeDefault(), bytes).ok());
  ASSERT_EQ(bytes.size(), 16u);
  EXPECT_EQ(wordOf(bytes, 0), 0x10u | 0x40u | 2u << 7 | 5u << 10 | uint64_t{0x12345678} << 26);
  EXPECT_EQ(wordOf(bytes, 1), 3u | 14u << 16 | uint64_t{56} << 32 | uint64_t{0x4321} << 48);
}

TEST(Encoding, GoldenAluWithNegativeImmediate) {
  AluInsn alu;
  alu.alu_opcode = AluOpcode::kShr;
  alu.use_imm = true;
  alu.imm = -2;
  alu.uop_end = 4;
  alu.iter_out = 1;
  alu.iter_in = 64;
  alu.dst_factor_in = 4;
  std::vector<std::byte> bytes;
  ASSERT_TRUE(
      encodeInstruction(Instruction::alu(alu, {.push_next = true}), HwConfig::makeDefault(), bytes)
          .ok());
  EXPECT_EQ(wordOf(bytes, 0), 4u | 0x40u | 4u << 21 | uint64_t{1} << 35 | uint64_t{64} << 49);
  EXPECT_EQ(wordOf(bytes, 1),
            4u << 11 | uint64_t{3} << 44 | uint64_t{1} << 47 | uint64_t{0xfffe} << 48);
}

TEST(Encoding, GoldenMicroOp) {
  std::vector<std::byte> bytes;
  ASSERT_TRUE(
      encodeUop({.dst_idx = 3, .src_idx = 5, .wgt_idx = 9}, HwConfig::makeDefault(), bytes).ok());
  EXPECT_EQ(bytes, (std::vector<std::byte>{std::byte{0x03}, std::byte{0x28}, std::byte{0x40},
                                           std::byte{0x02}}));
}

// Property: for any legal configuration no two fields of an instruction share a bit, none straddles
// a 64-bit word or passes the end.
TEST(Encoding, FieldsNeverOverlapNorStraddleWords) {
  test::Rng rng(1);
  for (int i = 0; i < 500; ++i) {
    const HwConfig hw = test::randomConfig(rng);
    std::vector<std::pair<std::vector<FieldInfo>, int>> formats;
    for (int op = 0; op <= 4; ++op) {
      formats.emplace_back(instructionFields(static_cast<Opcode>(op), hw),
                           hw.instructionBytes() * 8);
    }
    formats.emplace_back(uopFields(hw), hw.uopBytes() * 8);
    for (const auto& [fields, total_bits] : formats) {
      std::vector<bool> used(total_bits, false);
      for (const FieldInfo& f : fields) {
        SCOPED_TRACE(hw.summary() + " field " + std::string(f.name));
        ASSERT_GT(f.width_bits, 0);
        ASSERT_LE(f.lsb + f.width_bits, total_bits);
        ASSERT_EQ(f.lsb / 64, (f.lsb + f.width_bits - 1) / 64);
        for (int bit = f.lsb; bit < f.lsb + f.width_bits; ++bit) {
          ASSERT_FALSE(used[bit]);
          used[bit] = true;
        }
      }
    }
  }
}

TEST(Encoding, RandomInstructionsAndMicroOpsRoundTripOnRandomConfigurations) {
  test::Rng rng(2);
  int wide_count = 0;
  for (int i = 0; i < 300; ++i) {
    const HwConfig hw = test::randomConfig(rng);
    wide_count += hw.encoding() == Encoding::kWide;
    for (int k = 0; k < 40; ++k) {
      const Instruction insn = test::randomInstruction(rng, hw);
      std::vector<std::byte> bytes;
      ASSERT_TRUE(encodeInstruction(insn, hw, bytes).ok());
      ASSERT_EQ(bytes.size(), static_cast<size_t>(hw.instructionBytes()));
      const Result<Instruction> decoded = decodeInstruction(bytes, hw);
      ASSERT_TRUE(decoded.ok()) << decoded.status().message();
      ASSERT_EQ(*decoded, insn);

      const Uop uop = test::randomUop(rng, hw);
      std::vector<std::byte> uop_bytes;
      ASSERT_TRUE(encodeUop(uop, hw, uop_bytes).ok());
      ASSERT_EQ(uop_bytes.size(), static_cast<size_t>(hw.uopBytes()));
      ASSERT_EQ(decodeUop(uop_bytes, hw), uop);
    }
  }
  EXPECT_GT(wide_count, 20);
  EXPECT_LT(wide_count, 280);
}

// Any bits either decode to something that encodes and decodes to itself, or are refused.
TEST(Encoding, RandomBitsDecodeOrAreRefused) {
  test::Rng rng(3);
  for (int i = 0; i < 20000; ++i) {
    const HwConfig hw = i % 2 == 0 ? HwConfig::makeDefault() : withoutExtensions();
    std::vector<std::byte> bytes(hw.instructionBytes());
    for (std::byte& b : bytes) b = static_cast<std::byte>(test::uniform(rng, 0, 255));
    const Result<Instruction> decoded = decodeInstruction(bytes, hw);
    if (!decoded.ok()) {
      EXPECT_EQ(decoded.status().code(), StatusCode::kInvalidArgument);
      continue;
    }
    std::vector<std::byte> again;
    ASSERT_TRUE(encodeInstruction(*decoded, hw, again).ok());
    EXPECT_EQ(*decodeInstruction(again, hw), *decoded);
  }
}

TEST(Encoding, WideEncodingDoublesSizesAndKeepsTheOrder) {
  const HwConfig hw = wideConfig();
  EXPECT_EQ(hw.instructionBytes(), 32);
  EXPECT_EQ(hw.uopBytes(), 8);
  const Positions wide = positions(instructionFields(Opcode::kGemm, hw));
  EXPECT_EQ(wide.at("dst_factor_out").second, 128);
  const auto base = instructionFields(Opcode::kGemm, HwConfig::makeDefault());
  const auto fields = instructionFields(Opcode::kGemm, hw);
  ASSERT_EQ(fields.size(), base.size());
  for (size_t i = 0; i < base.size(); ++i) EXPECT_EQ(fields[i].name, base[i].name);
}

void expectEncodeError(const Instruction& insn, const HwConfig& hw, const std::string& message) {
  std::vector<std::byte> bytes;
  const Status status = encodeInstruction(insn, hw, bytes);
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(status.message(), HasSubstr(message));
  EXPECT_TRUE(bytes.empty());
}

TEST(Encoding, ValuesThatDoNotFitAreErrorsWithTheRange) {
  const HwConfig hw = HwConfig::makeDefault();
  MemInsn mem;
  mem.x_size = 65536;
  expectEncodeError(Instruction::load(mem), hw, "LOAD field x_size is 65536; legal: 0 to 65535");
  expectEncodeError(Instruction::alu({.imm = 40000}), hw,
                    "ALU field imm is 40000; legal: -32768 to 32767");
  expectEncodeError(Instruction::gemm({.wgt_factor_in = 1024}), hw,
                    "GEMM field wgt_factor_in is 1024; legal: 0 to 1023");
  std::vector<std::byte> bytes;
  EXPECT_THAT(encodeUop({.src_idx = 2048}, hw, bytes).message(),
              HasSubstr("micro-op field src_idx is 2048; legal: 0 to 2047"));
}

TEST(Encoding, CodesThatDoNotExistAreErrors) {
  const HwConfig hw = HwConfig::makeDefault();
  MemInsn mem;
  mem.memory_type = static_cast<MemoryType>(6);
  expectEncodeError(Instruction::load(mem), hw, "illegal LOAD field memory_type = 6");
  expectEncodeError(Instruction::alu({.alu_opcode = static_cast<AluOpcode>(7)}), hw,
                    "illegal ALU field alu_opcode = 7");
  expectEncodeError({Opcode::kGemm, {}, MemInsn{}}, hw, "another kind of body");
  expectEncodeError({static_cast<Opcode>(7), {}, FinishInsn{}}, hw, "opcode 7");
}

TEST(Encoding, ExtensionsTheHardwareLacksAreErrorsBothWays) {
  const HwConfig full = HwConfig::makeDefault();
  const HwConfig plain = withoutExtensions();
  MemInsn padded;
  padded.pad_kind = PadKind::kMin;
  const std::pair<Instruction, std::string> cases[] = {
      {Instruction::load(padded), "no extension pad_min"},
      {Instruction::alu({.alu_opcode = AluOpcode::kQmul}), "no extension qmul"},
      {Instruction::alu({.alu_opcode = AluOpcode::kClip}), "no extension clip"},
  };
  for (const auto& [insn, message] : cases) {
    expectEncodeError(insn, plain, message);
    std::vector<std::byte> bytes;
    ASSERT_TRUE(encodeInstruction(insn, full, bytes).ok());
    const Result<Instruction> decoded = decodeInstruction(bytes, plain);
    ASSERT_FALSE(decoded.ok());
    EXPECT_THAT(decoded.status().message(), HasSubstr(message));
  }
}

/// A LOAD of `type` has `code`, and comes back the same.
void expectMemoryType(MemoryType type, uint32_t code, const HwConfig& hw) {
  MemInsn mem;
  mem.memory_type = type;
  mem.x_size = 5;
  std::vector<std::byte> bytes;
  ASSERT_TRUE(encodeInstruction(Instruction::load(mem), hw, bytes).ok());
  EXPECT_EQ(wordOf(bytes, 0) >> 7 & 7, code);
  const Result<Instruction> decoded = decodeInstruction(bytes, hw);
  ASSERT_TRUE(decoded.ok()) << decoded.status().message();
  EXPECT_EQ(*decoded, Instruction::load(mem));
}

/// `hw` lacks what a LOAD of `type` needs: `message` says so, whether `full` has encoded it or not.
void expectNoMemoryType(MemoryType type, const HwConfig& full, const HwConfig& hw,
                        const std::string& message) {
  MemInsn mem;
  mem.memory_type = type;
  expectEncodeError(Instruction::load(mem), hw, message);
  std::vector<std::byte> bytes;
  ASSERT_TRUE(encodeInstruction(Instruction::load(mem), full, bytes).ok());
  EXPECT_THAT(decodeInstruction(bytes, hw).status().message(), HasSubstr(message));
}

HwConfig withExtension(bool HwParams::*extension) {
  HwParams params = HwConfig::makeDefault().params();
  params.*extension = true;
  return *HwConfig::create(params);
}

TEST(Encoding, TransposedWeightsAreAMemoryTypeOfTheExtension) {
  const HwConfig hw = withExtension(&HwParams::ext_transpose);
  expectMemoryType(MemoryType::kWgtTransposed, 6, hw);
  expectNoMemoryType(MemoryType::kWgtTransposed, hw, HwConfig::makeDefault(),
                     "illegal LOAD field memory_type = 6; legal: 0 to 5 (this hardware has no "
                     "extension transpose)");
  MemInsn mem;
  mem.memory_type = static_cast<MemoryType>(8);
  expectEncodeError(Instruction::load(mem), hw,
                    "illegal LOAD field memory_type = 8; legal: 0 to 6");
}

TEST(Encoding, HandoversAreAMemoryTypeOfTheExtension) {
  const HwConfig hw = withExtension(&HwParams::ext_handover);
  expectMemoryType(MemoryType::kInpFromOut, 7, hw);
  expectNoMemoryType(MemoryType::kInpFromOut, hw, HwConfig::makeDefault(),
                     "illegal LOAD field memory_type = 7; legal: 0 to 5 (this hardware has no "
                     "extension handover)");
  expectNoMemoryType(MemoryType::kWgtTransposed, withExtension(&HwParams::ext_transpose), hw,
                     "illegal LOAD field memory_type = 6; legal: 0 to 5, 7 (this hardware has no "
                     "extension transpose)");
}

TEST(Encoding, DepthwiseGemmHasItsTapsAboveTheInnerLoop) {
  HwParams params = HwConfig::makeDefault().params();
  params.ext_depthwise = true;
  params.depthwise_taps = 5;
  const HwConfig base = *HwConfig::create(params);
  params.acc_buf_bytes *= 4;
  const HwConfig wide = *HwConfig::create(params);
  ASSERT_EQ(wide.encoding(), Encoding::kWide);
  const GemmInsn gemm = {.depthwise = true, .taps = 5, .iter_out = 3, .iter_in = 2047};
  for (const HwConfig& hw : {base, wide}) {
    std::vector<std::byte> bytes;
    ASSERT_TRUE(encodeInstruction(Instruction::gemm(gemm), hw, bytes).ok());
    const Result<Instruction> decoded = decodeInstruction(bytes, hw);
    ASSERT_TRUE(decoded.ok()) << decoded.status().message();
    EXPECT_EQ(*decoded, Instruction::gemm(gemm));
    // The most taps of the field are more than this hardware reads.
    for (const FieldInfo& field : instructionFields(Opcode::kGemm, hw)) {
      if (field.name != "iter_in") continue;
      const int top = field.lsb + field.width_bits - 1;
      bytes[static_cast<size_t>(top) / 8] |= std::byte(1 << top % 8);
      bytes[static_cast<size_t>(top - 1) / 8] |= std::byte(1 << (top - 1) % 8);
    }
    EXPECT_THAT(decodeInstruction(bytes, hw).status().message(),
                HasSubstr("illegal GEMM field taps = 7; legal: 1 to 5"));
  }
  std::vector<std::byte> bytes;
  ASSERT_TRUE(encodeInstruction(Instruction::gemm(gemm), base, bytes).ok());
  EXPECT_NE(bytes[7] & std::byte{0x80}, std::byte{0});
  EXPECT_THAT(decodeInstruction(bytes, HwConfig::makeDefault()).status().message(),
              HasSubstr("illegal GEMM field depthwise = 1; legal: 0 (this hardware has no"));
  GemmInsn wrong = gemm;
  wrong.iter_in = 2048;
  expectEncodeError(Instruction::gemm(wrong), base, "legal: 0 to 2047 (it is depthwise)");
  wrong = {.taps = 2};
  expectEncodeError(Instruction::gemm(wrong), base, "legal: 1 (it is not depthwise)");
  expectEncodeError(Instruction::gemm({.iter_in = 16384}), base, "legal: 0 to 16383");
}

// The high part of an operation's code is where published hardware ignores a bit. Hardware without
// the operation must not execute the one with the same low part.
TEST(Encoding, PagesThatTheHardwareLacksAreErrors) {
  const HwConfig hw = withoutExtensions();
  std::vector<std::byte> bytes;
  ASSERT_TRUE(encodeInstruction(Instruction::alu({.alu_opcode = AluOpcode::kAdd}), hw, bytes).ok());
  EXPECT_TRUE(decodeInstruction(bytes, hw).ok());
  bytes[7] |= std::byte{0x80};
  const Result<Instruction> decoded = decodeInstruction(bytes, hw);
  ASSERT_FALSE(decoded.ok());
  EXPECT_THAT(decoded.status().message(),
              HasSubstr("illegal ALU field alu_opcode = 10; legal: 0 to 4"));
}

TEST(Encoding, OperationsOnTheSecondPageSurviveBothEncodings) {
  HwParams params = HwConfig::makeDefault().params();
  params.ext_prelu = true;
  const HwConfig base = *HwConfig::create(params);
  params.acc_buf_bytes *= 4;
  const HwConfig wide = *HwConfig::create(params);
  ASSERT_EQ(wide.encoding(), Encoding::kWide);
  const Instruction prelu = Instruction::alu({.alu_opcode = AluOpcode::kPrelu, .imm = 15});
  const Instruction min = Instruction::alu({.alu_opcode = AluOpcode::kMin, .imm = 15});
  for (const HwConfig& hw : {base, wide}) {
    std::vector<std::byte> bytes;
    ASSERT_TRUE(encodeInstruction(prelu, hw, bytes).ok());
    const Result<Instruction> decoded = decodeInstruction(bytes, hw);
    ASSERT_TRUE(decoded.ok()) << decoded.status().message();
    EXPECT_EQ(*decoded, prelu);
  }
  // But for its page it is MIN, and hardware without it says so.
  std::vector<std::byte> prelu_bytes;
  std::vector<std::byte> min_bytes;
  ASSERT_TRUE(encodeInstruction(prelu, base, prelu_bytes).ok());
  ASSERT_TRUE(encodeInstruction(min, base, min_bytes).ok());
  EXPECT_EQ(prelu_bytes[7], min_bytes[7] | std::byte{0x80});
  prelu_bytes[7] = min_bytes[7];
  EXPECT_EQ(prelu_bytes, min_bytes);
  expectEncodeError(prelu, HwConfig::makeDefault(), "no extension prelu");
}

TEST(Encoding, TheWideEncodingHasMorePages) {
  const HwConfig wide = *loadHwConfig(VTA_SOURCE_DIR "/configs/hw/wide.yaml");
  ASSERT_EQ(wide.encoding(), Encoding::kWide);
  for (const FieldInfo& field : instructionFields(Opcode::kAlu, wide)) {
    if (field.name != "alu_page") continue;
    EXPECT_EQ(field.width_bits, 5);
  }
}

TEST(Encoding, DecodingIllegalBitsNamesTheField) {
  const HwConfig hw = HwConfig::makeDefault();
  std::vector<std::byte> bytes(16, std::byte{0});
  bytes[0] = std::byte{5};
  EXPECT_THAT(decodeInstruction(bytes, hw).status().message(),
              HasSubstr("illegal instruction field opcode = 5; legal: 0 to 4"));
  bytes[0] = std::byte{0x80};
  bytes[1] = std::byte{0x03};
  EXPECT_THAT(decodeInstruction(bytes, hw).status().message(),
              HasSubstr("illegal LOAD field memory_type = 7"));
  bytes[0] = bytes[1] = std::byte{0};
  bytes[7] = std::byte{2 << 2};
  EXPECT_THAT(decodeInstruction(bytes, hw).status().message(),
              HasSubstr("illegal LOAD field pad_kind = 2"));
  bytes.resize(15);
  EXPECT_THAT(decodeInstruction(bytes, hw).status().message(),
              HasSubstr("needs 16 bytes, 15 are left"));
}

}  // namespace
}  // namespace vta
