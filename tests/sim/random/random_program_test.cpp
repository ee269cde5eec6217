#include "sim/random/random_program.h"

#include <gtest/gtest.h>

#include <set>

#include "program/text/assembler.h"
#include "program/verify/verifier.h"
#include "sim/functional/functional_model.h"
#include "sim/random/inject_fault.h"
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

TEST(RandomProgramTest, TransposedWeightsOccurWithTheExtensionOnly) {
  HwParams params;
  const auto count = [&] {
    const HwConfig hw = *HwConfig::create(params);
    int loads = 0;
    for (uint64_t seed = 1; seed <= 20; ++seed) {
      Rng rng(seed);
      for (const Instruction& insn : randomProgram(hw, rng).instructions) {
        const auto* mem = std::get_if<MemInsn>(&insn.body);
        loads += mem != nullptr && mem->memory_type == MemoryType::kWgtTransposed ? 1 : 0;
      }
    }
    return loads;
  };
  EXPECT_EQ(count(), 0);
  params.ext_transpose = true;
  EXPECT_GT(count(), 10);
}

TEST(RandomProgramTest, LargeFieldsAreLegalToo) {
  for (uint64_t seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Rng rng(seed);
    const HwConfig hw = seed % 2 == 0 ? HwConfig::makeDefault() : randomHwConfig(rng);
    SCOPED_TRACE(hw.toYaml());
    const Program program = randomProgram(hw, rng, RandomProgramOptions::largeFields());
    const Status verified = verifyProgramStatus(program, hw, {.uninitialised_reads = true});
    ASSERT_TRUE(verified.ok()) << verified.message();
    auto image = makeImage(program, hw, rng);
    ASSERT_TRUE(image.ok()) << image.status().message();
    const std::optional<Fault> fault = runChecked(*image, hw);
    ASSERT_FALSE(fault) << fault->instruction << ": " << fault->disassembly << ": "
                        << fault->reason;
  }
}

// What hardware gets wrong that has too few bits for a field or for a sum of fields.
TEST(RandomProgramTest, LargeFieldsReachTheirLimits) {
  const HwConfig hw = HwConfig::makeDefault();
  std::set<std::string> seen;
  const auto saw = [&](const char* what, bool holds) {
    if (holds) seen.insert(what);
  };
  for (uint64_t seed = 1; seed <= 60; ++seed) {
    Rng rng(seed);
    const Program program = randomProgram(hw, rng, RandomProgramOptions::largeFields());
    for (const Instruction& insn : program.instructions) {
      if (const auto* mem = std::get_if<MemInsn>(&insn.body)) {
        if (mem->x_size == 0) continue;
        const bool is_store = insn.opcode == Opcode::kStore;
        saw("pads of a row, 16 and more", mem->x_pad_0 + mem->x_pad_1 >= 16);
        saw("pads above and below, 16 and more", mem->y_pad_0 + mem->y_pad_1 >= 16);
        saw("pads of 15", mem->x_pad_0 == 15 || mem->y_pad_1 == 15);
        saw("STORE rows above 255", is_store && mem->y_size > 255);
        saw("STORE rows of more than 255", is_store && mem->x_size > 255);
        saw("LOAD rows above 255", !is_store && mem->y_size > 255);
        saw("LOAD rows of more than 255", !is_store && mem->x_size > 255);
        saw("last element",
            mem->sram_base + mem->x_size * mem->y_size == hw.depthElems(mem->memory_type));
      } else if (insn.opcode == Opcode::kGemm) {
        saw("GEMM inner loop above 8192", insn.gemm().iter_in > 8192);
        saw("GEMM outer loop above 8192", insn.gemm().iter_out > 8192);
        saw("GEMM loop of 16383", insn.gemm().iter_in == 16383 || insn.gemm().iter_out == 16383);
        saw("GEMM micro-ops above 1024", insn.gemm().uop_end > insn.gemm().uop_bgn + 1024);
        saw("large factor", insn.gemm().dst_factor_in > 1000);
      } else if (insn.opcode == Opcode::kAlu) {
        saw("ALU inner loop above 8192", insn.alu().iter_in > 8192);
        saw("ALU outer loop above 8192", insn.alu().iter_out > 8192);
      }
    }
  }
  for (const char* what :
       {"pads of a row, 16 and more", "pads above and below, 16 and more", "pads of 15",
        "STORE rows above 255", "STORE rows of more than 255", "LOAD rows above 255",
        "LOAD rows of more than 255", "last element", "GEMM inner loop above 8192",
        "GEMM outer loop above 8192", "GEMM loop of 16383", "GEMM micro-ops above 1024",
        "large factor", "ALU inner loop above 8192", "ALU outer loop above 8192"}) {
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
    for (uint64_t seed = 1; seed <= 60; ++seed) {
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
