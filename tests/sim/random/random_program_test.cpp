#include "sim/random/random_program.h"

#include <gtest/gtest.h>

#include <set>

#include "program/text/assembler.h"
#include "program/verify/verifier.h"
#include "sim/functional/functional_model.h"
#include "sim/random/program_image.h"
#include "sim/random/random_config.h"

namespace vta::sim {
namespace {

std::optional<Fault> runChecked(ProgramImage& image, const HwConfig& hw, bool checked = true) {
  auto model = FunctionalModel::create(hw, {.checked = checked});
  EXPECT_TRUE(model.ok()) << model.status().message();
  const std::vector<std::byte> stream(streamOf(image, hw).begin(), streamOf(image, hw).end());
  ImageDram dram(image);
  return (*model)->run(stream, image.bases, dram).fault;
}

TEST(RandomProgramTest, ProgramsAreLegalAndFreeOfRaces) {
  for (uint64_t seed = 1; seed <= 300; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Rng rng(seed);
    const HwConfig hw = randomHwConfig(rng, ElementSizes::kAll);
    SCOPED_TRACE(hw.toYaml());
    const Program program = randomProgram(hw, rng);
    const Status verified = verifyProgramStatus(program, hw, {.uninitialised_reads = true});
    ASSERT_TRUE(verified.ok()) << verified.message() << disassembleProgram(program, hw);
    auto image = makeImage(program, hw, rng);
    ASSERT_TRUE(image.ok()) << image.status().message();
    const std::optional<Fault> fault = runChecked(*image, hw);
    ASSERT_FALSE(fault) << fault->instruction << ": " << fault->disassembly << ": " << fault->reason
                        << "\n"
                        << disassembleProgram(program, hw);
  }
}

TEST(RandomProgramTest, TheSameSeedGivesTheSameProgram) {
  const auto make = [](uint64_t seed) {
    Rng rng(seed);
    const HwConfig hw = HwConfig::makeDefault();
    const Program program = randomProgram(hw, rng);
    return makeImage(program, hw, rng).value().bytes;
  };
  EXPECT_EQ(make(7), make(7));
  EXPECT_NE(make(7), make(8));
}

TEST(RandomProgramTest, EverythingOccurs) {
  const HwConfig hw = HwConfig::makeDefault();
  std::set<std::string> seen;
  for (uint64_t seed = 1; seed <= 60; ++seed) {
    Rng rng(seed);
    for (const Instruction& insn : randomProgram(hw, rng).instructions) {
      if (const auto* mem = std::get_if<MemInsn>(&insn.body)) {
        const std::string type(memoryTypeName(mem->memory_type));
        seen.insert(std::string(opcodeName(insn.opcode)) + " " + type);
        if (mem->x_pad_0 + mem->y_pad_0 > 0 && mem->x_size > 0) seen.insert("pad " + type);
        if (mem->pad_kind == PadKind::kMin) seen.insert("pad_min");
        if (mem->x_size > 0 && mem->x_stride < mem->x_size) seen.insert("short stride " + type);
        if (mem->x_size == 0) seen.insert("nothing " + type);
      } else if (const auto* alu = std::get_if<AluInsn>(&insn.body)) {
        seen.insert(std::string(aluOpcodeName(alu->alu_opcode)) + (alu->use_imm ? " imm" : ""));
      } else if (insn.opcode == Opcode::kGemm) {
        seen.insert(insn.gemm().reset ? "reset" : "gemm");
      }
      const Tokens& t = insn.tokens;
      if (t.pop_prev && t.pop_next) seen.insert("two pops");
      if (t.push_prev && t.push_next) seen.insert("two pushes");
    }
  }
  for (const char* what : {"LOAD UOP",      "LOAD INP",     "LOAD WGT", "LOAD ACC",
                           "LOAD ACC_8BIT", "STORE OUT",    "pad INP",  "pad WGT",
                           "pad ACC",       "pad ACC_8BIT", "pad_min",  "short stride OUT",
                           "nothing INP",   "nothing OUT",  "MIN",      "MIN imm",
                           "MAX",           "MAX imm",      "ADD",      "ADD imm",
                           "SHR",           "SHR imm",      "MUL",      "MUL imm",
                           "QMUL",          "CLIP imm",     "gemm",     "reset",
                           "two pops",      "two pushes"}) {
    EXPECT_TRUE(seen.contains(what)) << what;
  }
}

TEST(RandomProgramTest, ShortTokenQueuesNeverOverflow) {
  HwParams p = HwConfig::makeDefault().params();
  p.token_queue_depth = 2;
  p.command_queue_depth = 1;
  const HwConfig hw = HwConfig::create(p).value();
  for (uint64_t seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Rng rng(seed);
    const Status verified = verifyProgramStatus(randomProgram(hw, rng), hw);
    ASSERT_TRUE(verified.ok()) << verified.message();
  }
}

TEST(InjectFaultTest, EveryKindIsFoundByTheFunctionalModel) {
  for (int kind = 0; kind < kInjectedFaultCount; ++kind) {
    const auto fault = static_cast<InjectedFault>(kind);
    SCOPED_TRACE(injectedFaultName(fault));
    int injected = 0;
    for (uint64_t seed = 1; seed <= 20; ++seed) {
      SCOPED_TRACE("seed " + std::to_string(seed));
      Rng rng(seed);
      const HwConfig hw = randomHwConfig(rng, ElementSizes::kAll);
      ProgramImage image = makeImage(randomProgram(hw, rng), hw, rng).value();
      if (!injectFault(image, hw, fault, rng)) continue;
      ++injected;
      EXPECT_TRUE(runChecked(image, hw, false).has_value());
    }
    EXPECT_GT(injected, 5);
  }
}

}  // namespace
}  // namespace vta::sim
