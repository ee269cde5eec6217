#include "isa/program/text/assembler.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/isa/config/random_config.h"
#include "tests/isa/program/sample_program.h"

namespace vta {
namespace {

using test::gemmProgram;
using ::testing::HasSubstr;
using ::testing::StartsWith;

const HwConfig kHw = HwConfig::makeDefault();

TEST(Disassembler, OneLinePerInstruction) {
  GemmInsn gemm{.uop_end = 9,
                .iter_out = 14,
                .iter_in = 4,
                .dst_factor_out = 14,
                .dst_factor_in = 1,
                .src_factor_out = 16,
                .src_factor_in = 1};
  EXPECT_EQ(disassemble(Instruction::gemm(gemm, {.pop_prev = true, .push_next = true})),
            "gemm uop=0:9 iter=14x4 dst=14,1 src=16,1 wgt=0,0 pop_prev push_next");

  gemm.depthwise = true;
  gemm.taps = 3;
  EXPECT_EQ(disassemble(Instruction::gemm(gemm)),
            "gemm uop=0:9 iter=14x4 dst=14,1 src=16,1 wgt=0,0 taps=3");

  MemInsn mem = test::ProgramBuilder::row(MemoryType::kInp, 5, 7, 14);
  EXPECT_EQ(disassemble(Instruction::load(mem)), "load inp sram=5 dram=7 size=1x14 stride=14");
  mem.y_pad_0 = mem.x_pad_1 = 1;
  mem.pad_kind = PadKind::kMin;
  EXPECT_EQ(disassemble(Instruction::load(mem, {.pop_next = true})),
            "load inp sram=5 dram=7 size=1x14 stride=14 pad=1,0,0,1 pad_min pop_next");
  EXPECT_EQ(disassemble(Instruction::finish({.pop_next = true})), "finish pop_next");
}

TEST(Disassembler, AluImmediatesByKind) {
  AluInsn alu{.alu_opcode = AluOpcode::kShr, .use_imm = true, .imm = -3, .uop_end = 1};
  EXPECT_EQ(disassemble(Instruction::alu(alu)), "alu shr imm=-3 uop=0:1 iter=0x0 dst=0,0 src=0,0");
  alu = {.alu_opcode = AluOpcode::kQmul, .imm = 20};
  EXPECT_THAT(disassemble(Instruction::alu(alu)), StartsWith("alu qmul shift=20 uop=0:0"));
  alu = {.alu_opcode = AluOpcode::kClip, .use_imm = true, .imm = 0x7f80};
  EXPECT_THAT(disassemble(Instruction::alu(alu)), StartsWith("alu clip range=-128,127 uop="));
  alu = {.alu_opcode = AluOpcode::kRequant, .imm = 0x7f80};
  EXPECT_THAT(disassemble(Instruction::alu(alu)), StartsWith("alu requant range=-128,127 uop="));
  // The field of a tensor operation that does not read it is kept, but is no shift.
  alu = {.alu_opcode = AluOpcode::kMax, .imm = 7};
  EXPECT_THAT(disassemble(Instruction::alu(alu)), StartsWith("alu max unused_imm=7 uop="));
  alu = {.alu_opcode = AluOpcode::kAdd, .reset = true};
  EXPECT_EQ(disassemble(Instruction::alu(alu)), "alu add uop=0:0 iter=0x0 dst=0,0 src=0,0 reset");
}

TEST(Assembler, TapsMakeADepthwiseGemm) {
  HwParams params;
  params.ext_depthwise = true;
  const HwConfig hw = *HwConfig::create(params);
  const auto text = [](std::string_view taps) {
    return fmt::format("gemm uop=0:1 iter=2x3 dst=0,0 src=0,1 wgt=0,0 {}\nfinish\n", taps);
  };
  const Result<Program> program = assemble(text("taps=4 reset"), "t", hw);
  ASSERT_TRUE(program.ok()) << program.status().message();
  const GemmInsn& gemm = program->instructions[0].gemm();
  EXPECT_TRUE(gemm.depthwise && gemm.reset);
  EXPECT_EQ(gemm.taps, 4u);
  EXPECT_EQ(gemm.iter_in, 3u);
  EXPECT_EQ(*assemble(disassembleProgram(*program, hw), "t", hw), *program);
  EXPECT_THAT(assemble(text("taps=9"), "t", hw).status().message(),
              HasSubstr("taps=9 is not a number from 1 to 8"));
  EXPECT_THAT(assemble(text("taps=5"), "t", hw).status().message(),
              HasSubstr("illegal GEMM field taps = 5; legal: 1 to 4 (isa.depthwise_taps)"));
  EXPECT_THAT(assemble(text("taps=2"), "t", kHw).status().message(),
              HasSubstr("no extension depthwise"));
}

TEST(Assembler, TransposedWeightsHaveAName) {
  HwParams params;
  params.ext_transpose = true;
  const HwConfig hw = *HwConfig::create(params);
  const std::string text =
      ".buffer \"wgt\" constant size=4096 align=256\n"
      "load wgt_transposed sram=1 dram=@wgt+2 size=2x3 stride=4\nfinish\n";
  const Result<Program> program = assemble(text, "t", hw);
  ASSERT_TRUE(program.ok()) << program.status().message();
  EXPECT_EQ(program->instructions[0].mem().memory_type, MemoryType::kWgtTransposed);
  EXPECT_EQ(*assemble(disassembleProgram(*program, hw), "t", hw), *program);
  EXPECT_THAT(assemble(text, "t", kHw).status().message(), HasSubstr("no extension transpose"));
  EXPECT_THAT(assemble("load weights sram=1\n", "t", hw).status().message(),
              HasSubstr("legal: uop, wgt, inp, acc, out, acc_8bit, wgt_transposed, inp_from_out"));
}

TEST(Assembler, HandoversNameTheirPlaceInOut) {
  HwParams params;
  params.ext_handover = true;
  const HwConfig hw = *HwConfig::create(params);
  const std::string text =
      "load inp_from_out sram=1 out=9 size=2x3 stride=4 pad=1,0,2,1 pop_next\nfinish\n";
  const Result<Program> program = assemble(text, "t", hw);
  ASSERT_TRUE(program.ok()) << program.status().message();
  const MemInsn& mem = program->instructions[0].mem();
  EXPECT_EQ(mem.memory_type, MemoryType::kInpFromOut);
  EXPECT_EQ(mem.dram_base, 9u);
  EXPECT_EQ(mem.x_pad_0, 2u);
  EXPECT_TRUE(program->relocations.empty());
  EXPECT_EQ(*assemble(disassembleProgram(*program, hw), "t", hw), *program);
  EXPECT_THAT(assemble(text, "t", kHw).status().message(), HasSubstr("no extension handover"));
  EXPECT_THAT(
      assemble("load inp_from_out sram=1 dram=9 size=2x3 stride=4\n", "t", hw).status().message(),
      HasSubstr("out="));
}

TEST(Assembler, ProgramsRoundTrip) {
  const HwConfig wide = *loadHwConfig(VTA_SOURCE_DIR "/configs/hw/wide.yaml");
  for (const HwConfig& hw : {kHw, wide}) {
    const Program program = gemmProgram(hw);
    const Result<Program> again = assemble(disassembleProgram(program, hw), "text", hw);
    ASSERT_TRUE(again.ok()) << again.status().message();
    EXPECT_EQ(*again, program);
  }
}

TEST(Assembler, RandomInstructionsRoundTripOnRandomConfigurations) {
  test::Rng rng(7);
  for (int i = 0; i < 60; ++i) {
    const HwConfig hw = test::randomConfig(rng);
    test::ProgramBuilder b(hw);
    b.buffer("micro ops", BufferKind::kUop, 40 * hw.uopBytes());
    b.buffer("data", BufferKind::kScratch, 100);
    for (int k = 0; k < 40; ++k) b.program.uops.push_back(test::randomUop(rng, hw));
    for (int k = 0; k < 100; ++k) {
      const Instruction insn = test::randomInstruction(rng, hw);
      if (!std::holds_alternative<MemInsn>(insn.body)) {
        b.add(insn);
      } else {
        const uint32_t buffer = insn.mem().memory_type == MemoryType::kUop ? 0 : 1;
        insn.opcode == Opcode::kLoad ? b.load(insn.mem(), buffer, insn.tokens)
                                     : b.store(insn.mem(), buffer, insn.tokens);
      }
    }
    b.add(Instruction::finish());
    const Result<Program> again = assemble(disassembleProgram(b.program, hw), "text", hw);
    ASSERT_TRUE(again.ok()) << again.status().message();
    ASSERT_EQ(*again, b.program);
  }
}

TEST(Assembler, OddNamesAndEqualNamesRoundTrip) {
  Program program = gemmProgram(kHw);
  program.buffers[1].name = "a b+\"\\\n;";
  program.buffers[2].name = program.buffers[3].name = "same";
  program.symbols = {{0, "conv \"1\"; x"}, {0, ""}, {4, "\x01\x7f"}};
  const std::string text = disassembleProgram(program, kHw);
  EXPECT_THAT(text, HasSubstr("dram=@[1]+0"));
  const Result<Program> again = assemble(text, "text", kHw);
  ASSERT_TRUE(again.ok()) << again.status().message();
  EXPECT_EQ(*again, program);
}

TEST(Assembler, HandWrittenTextNeedsNoHeader) {
  const Result<Program> program = assemble(
      "; adds one to four accumulators\n"
      ".buffer \"uop\" uop size=4 align=4\n"
      ".buffer \"x\" input size=256 align=64\r\n"
      ".uop 0 0 0\n"
      "\n"
      "load uop sram=0 dram=@uop size=1x1 stride=1\n"
      "\tload acc dram=@x+0 size=1x4 stride=4 sram=0 ; operands in any order\n"
      "alu add uop=0:1 imm=1 iter=1x4 dst=0,1 src=0,1\n"
      "finish",
      "text", kHw);
  ASSERT_TRUE(program.ok()) << program.status().message();
  EXPECT_EQ(program->instructions.size(), 4u);
  EXPECT_TRUE(program->instructions[2].alu().use_imm);
  EXPECT_EQ(program->relocations[1], (Relocation{1, 1}));
}

// A legal program with `line` put before FINISH: the line's number is 5.
std::string errorOfLine(const std::string& line) {
  const std::string text =
      ".buffer \"uop\" uop size=4 align=4\n"
      ".buffer \"x\" input size=256 align=64\n"
      ".uop 0 0 0\n"
      "load uop sram=0 dram=@uop+0 size=1x1 stride=1\n" +
      line + "\nfinish\n";
  const Result<Program> program = assemble(text, "f.s", kHw);
  EXPECT_FALSE(program.ok()) << line;
  return program.ok() ? "" : program.status().message();
}

TEST(Assembler, ErrorsHavePlaceAndRemedy) {
  const std::pair<std::string, std::string> cases[] = {
      {"  jump 5", "f.s:5:3: unknown instruction \"jump\"; legal: load, store, gemm, alu, finish"},
      {".bufer", "f.s:5:1: unknown directive .bufer"},
      {"load", "f.s:5:5: memory type is missing"},
      {"load foo", "f.s:5:6: unknown memory type \"foo\""},
      {"load inp dram=0 size=1x1 stride=1", "f.s:5:34: sram=N is missing"},
      {"load inp sram=0 size=1x1 stride=1", "f.s:5:34: dram=N or dram=@buffer+N is missing"},
      {"load inp sram=0 dram=x size=1x1 stride=1", "f.s:5:17: dram=x is not of the form"},
      {"load inp sram=0 dram=@+1 size=1x1 stride=1", "f.s:5:17: dram=@+1 is not of the form"},
      {"load inp sram=0 dram=0 size=1 stride=1", "f.s:5:24: size=1 is not of the form size=NxN"},
      {"load inp sram=0 dram=0 size=1x-1 stride=1", "size=1x-1 is not of the form"},
      {"load inp sram=0 dram=0 size=0x0 stride=0 pad=1,1",
       "pad=1,1 is not of the form pad=N,N,N,N"},
      {"load inp sram=0 dram=@y+0 size=1x1 stride=1", "f.s:5:1: no buffer \"y\" was declared"},
      {"load inp sram=0 dram=@[7]+0 size=1x1 stride=1", "no buffer \"[7]\" was declared"},
      {"load inp sram=0 dram=@x+0 size=1x99999 stride=1", "f.s:5:1: LOAD field x_size is 99999"},
      {"alu", "f.s:5:4: ALU operation is missing"},
      {"alu div",
       "f.s:5:5: unknown ALU operation \"div\"; legal: min, max, add, shr, mul, qmul, clip, prelu"},
      {"alu add imm=z", "f.s:5:9: imm=z is not a number"},
      {"alu qmul shift=", "shift= is not a number"},
      {"alu add shift=3", "f.s:5:9: add has no shift"},
      {"alu max range=0,3", "f.s:5:9: max has no range"},
      {"alu max unused_imm=z", "unused_imm=z is not a number"},
      {"alu clip range=0,300", "f.s:5:10: range=0,300 is not of the form range=LO,HI"},
      {"alu clip range=0", "range=0 is not of the form"},
      {"gemm uop=0:1", "f.s:5:13: iter=NxN is missing"},
      {"gemm uop=0:1 iter=1x1 dst=0,0 src=0,0", "wgt=N,N is missing"},
      {"finish now", "f.s:5:8: unknown or repeated operand \"now\""},
      {"finish pop_next pop_next", "f.s:5:17: unknown or repeated operand \"pop_next\""},
      {".encoding wide", "f.s:5:11: the configuration \"default\" needs base here"},
      {".fingerprint", "f.s:5:13: the configuration \"default\" needs"},
      {".buffer x input size=1 align=1", "expected .buffer \"NAME\" KIND size=N align=N"},
      {".buffer \"z\" heap size=1 align=1", "f.s:5:13: unknown buffer kind \"heap\""},
      {".buffer \"z\" input align=1", "expected .buffer"},
      {".buffer \"z\" input size=1", "align=N is missing"},
      {".buffer \"z", "f.s:5:9: quoted name does not end"},
      {".symbol \"a\\q\"", "f.s:5:11: a backslash must begin \\xHH"},
      {".symbol a", "expected .symbol \"NAME\""},
      {".uop 1 2", "expected .uop DST SRC WGT"},
      {".uop 1 2 x", "f.s:5:10: \"x\" is not an index"},
      {".uop 4000 0 0", "f.s:5:6: micro-op field dst_idx is 4000"},
      {"load inp sram=0 dram=5 size=1x1 stride=1",
       "f.s: instruction 1 (LOAD) addresses memory but has no relocation"},
  };
  for (const auto& [line, message] : cases) EXPECT_THAT(errorOfLine(line), HasSubstr(message));
}

// Any text is assembled or refused; what is assembled can be printed and read again.
TEST(Assembler, ChangedTextIsAssembledOrRefused) {
  const std::string text = disassembleProgram(gemmProgram(kHw), kHw);
  test::Rng rng(13);
  int accepted = 0;
  for (int round = 0; round < 5000; ++round) {
    std::string changed = text;
    for (int k = 0; k < 1 + round % 3; ++k) {
      const auto at = static_cast<size_t>(test::uniform(rng, 0, int64_t(changed.size()) - 1));
      const auto from = static_cast<size_t>(test::uniform(rng, 0, int64_t(text.size()) - 1));
      switch (test::uniform(rng, 0, 2)) {
        case 0:
          changed[at] = static_cast<char>(test::uniform(rng, 0, 255));
          break;
        case 1:
          changed.erase(at, static_cast<size_t>(test::uniform(rng, 1, 30)));
          break;
        default:
          changed.insert(at, text.substr(from, 20));
      }
      if (changed.empty()) changed.push_back(';');
    }
    const Result<Program> program = assemble(changed, "text", kHw);
    if (!program.ok()) continue;
    ++accepted;
    EXPECT_EQ(*assemble(disassembleProgram(*program, kHw), "again", kHw), *program);
  }
  EXPECT_GT(accepted, 100);
}

}  // namespace
}  // namespace vta
