#include "compiler/kernel/lower.h"
#include "compiler/kernel/plan/kernel_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "isa/program/verify/verifier.h"
#include "tests/compiler/kernel/sample_kernels.h"

namespace vta::kernel::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Source = EpilogueStep::Source;

std::vector<std::string> bufferNames(const Program& program) {
  std::vector<std::string> names;
  for (const BufferDecl& buffer : program.buffers) names.push_back(buffer.name);
  return names;
}

TEST(Schedule, PrintsAllItsFields) {
  EXPECT_EQ(Schedule{}.toString(),
            "h=1 w=1 oc=1 ic=1 kh=0 kw=0 vt=2 order=weights_inner int8=gemm pad=load");
}

TEST(CheckSchedule, NamesResourceNeedAndLimit) {
  const KernelDesc desc = smallConvolution();
  Schedule s;
  s.tile_height = s.tile_width = 8;
  s.tile_out_blocks = s.tile_in_blocks = 2;

  const HwConfig small_acc = withParams([](HwParams& p) { p.acc_buf_bytes = 8 << 10; });
  const Status acc = checkSchedule(desc, s, small_acc);
  EXPECT_EQ(acc.code(), StatusCode::kResourceExhausted);
  EXPECT_THAT(acc.message(), HasSubstr("ACC buffer elements is 130, the limit 128"));
  EXPECT_THAT(acc.message(), HasSubstr("h=8 w=8"));

  const HwConfig small_inp = withParams([](HwParams& p) { p.inp_buf_bytes = 4 << 10; });
  EXPECT_THAT(checkSchedule(desc, s, small_inp).message(),
              HasSubstr("INP buffer elements is 400, the limit 256"));

  const HwConfig small_wgt = withParams([](HwParams& p) { p.wgt_buf_bytes = 16 << 10; });
  EXPECT_THAT(checkSchedule(desc, s, small_wgt).message(),
              HasSubstr("WGT buffer elements is 72, the limit 64"));

  const HwConfig few_tokens = withParams([](HwParams& p) { p.token_queue_depth = 2; });
  EXPECT_THAT(checkSchedule(desc, s, few_tokens).message(), HasSubstr("token queue depth is 4"));
}

// Published hardware stores what GEMM or ALU wrote last: without an epilogue, accumulators that no
// tap reaches, and only these, take an operation that changes nothing.
TEST(Lower, WritesWhatItStoresOnPublishedHardware) {
  KernelDesc desc = smallConvolution();
  desc.num_params = 0;
  Schedule s;
  s.tile_height = s.tile_width = 4;
  s.skip_padding = true;
  const auto alu_instructions = [&] {
    const Program program = *lower(desc, s, compatHw());
    EXPECT_TRUE(verifyProgramStatus(program, compatHw()).ok());
    int count = 0;
    for (const Instruction& instruction : program.instructions) {
      count += std::holds_alternative<AluInsn>(instruction.body) ? 1 : 0;
    }
    return count;
  };
  EXPECT_EQ(alu_instructions(), 0);
  desc.geometry.pad_top = 3;  // the first row's windows lie outside
  desc.geometry.pad_bottom = 0;
  EXPECT_EQ(alu_instructions(), 4) << "two tiles for each of two blocks";
}

TEST(CheckSchedule, RefusesSizesOutsideTheKernel) {
  const KernelDesc desc = smallConvolution();
  const HwConfig hw = HwConfig::makeDefault();
  Schedule s;
  s.tile_height = 9;
  EXPECT_THAT(checkSchedule(desc, s, hw).message(), HasSubstr("tile_height is 9, the limit 8"));
  s = {};
  s.tile_in_blocks = 0;
  EXPECT_THAT(checkSchedule(desc, s, hw).message(), HasSubstr("tile_in_blocks is 0, the limit 1"));
  s = {};
  s.tile_kernel_width = 4;
  EXPECT_THAT(checkSchedule(desc, s, hw).message(), HasSubstr("tile_kernel_width is 4"));
  s = {};
  s.virtual_threads = 0;
  EXPECT_THAT(checkSchedule(desc, s, hw).message(), HasSubstr("virtual_threads is 0"));
}

TEST(CheckSchedule, TilesOfSeveralGroupsCoverThemWhole) {
  KernelDesc desc = smallConvolution();
  desc.geometry.groups = 2;
  desc.geometry.out_channel_blocks = 4;
  Schedule s;
  s.tile_out_blocks = 3;
  EXPECT_THAT(checkSchedule(desc, s, HwConfig::makeDefault()).message(),
              HasSubstr("tile_out_blocks modulo a group's blocks is 1"));
  s.tile_out_blocks = 4;
  EXPECT_TRUE(checkSchedule(desc, s, HwConfig::makeDefault()).ok());
}

TEST(CheckSchedule, Int8PathFollowsTheHardware) {
  Schedule s;
  const KernelDesc pool = smallPool(KernelKind::kMaxPool);
  const HwConfig uneven = withParams([](HwParams& p) { p.block_in = 8; });
  EXPECT_THAT(checkSchedule(pool, s, uneven).message(), HasSubstr("block_in equal to block_out"));
  s.int8_through_gemm = false;
  EXPECT_TRUE(checkSchedule(pool, s, uneven).ok());
  EXPECT_THAT(checkSchedule(pool, s, compatHw()).message(), HasSubstr("no ACC_8BIT"));
}

TEST(Lower, RefusesWhatValidationRefuses) {
  KernelDesc desc = smallConvolution();
  desc.geometry.groups = 3;
  EXPECT_THAT(lower(desc, {}, HwConfig::makeDefault()).status().message(), HasSubstr("groups 3"));
  Schedule s;
  s.tile_width = 99;
  EXPECT_THAT(lower(smallConvolution(), s, HwConfig::makeDefault()).status().message(),
              HasSubstr("tile_width is 99"));
}

TEST(Lower, DeclaresBuffersInTheAgreedOrder) {
  KernelDesc desc = smallConvolution();
  desc.residual.emplace();
  desc.epilogue = {{AluOpcode::kAdd, Source::kParam, 0, 0},
                   {AluOpcode::kAdd, Source::kResidual, 0, 0}};
  const Result<Program> program = lower(desc, {}, HwConfig::makeDefault());
  ASSERT_TRUE(program.ok()) << program.status().message();
  EXPECT_THAT(bufferNames(*program),
              ElementsAre("input", "weight", "param", "residual", "output", "identity", "uop"));
  EXPECT_EQ(program->buffers[1].size_bytes, 2u * 2 * 9 * 256);
  EXPECT_EQ(program->buffers[5].size_bytes, identityWeights(HwConfig::makeDefault()).size());

  const Result<Program> pool =
      lower(smallPool(KernelKind::kMaxPool), {.int8_through_gemm = false}, HwConfig::makeDefault());
  ASSERT_TRUE(pool.ok());
  EXPECT_THAT(bufferNames(*pool), ElementsAre("input", "output", "uop"));
}

// Padding that no LOAD writes: one element of it in DRAM.
TEST(Lower, DeclaresPaddingThatNoLoadMakes) {
  const HwConfig hw = HwConfig::makeDefault();
  const auto declares = [](const KernelDesc& desc, const HwConfig& hw) {
    const Result<Program> program = lower(desc, {}, hw);
    EXPECT_TRUE(program.ok()) << program.status().message();
    EXPECT_TRUE(verifyProgramStatus(*program, hw).ok());
    const std::vector<std::string> names = bufferNames(*program);
    return std::ranges::find(names, kPaddingBuffer) != names.end();
  };
  KernelDesc desc = smallConvolution();
  EXPECT_FALSE(declares(desc, hw));
  desc.geometry.pad_value = -128;
  EXPECT_FALSE(declares(desc, hw)) << "`pad_min` makes it";
  EXPECT_TRUE(declares(desc, compatHw()));
  desc.geometry.pad_value = 5;
  EXPECT_TRUE(declares(desc, hw));
  EXPECT_EQ(paddingElement(5, hw), std::vector<int8_t>(16, 5));
  desc.geometry.pad_top = desc.geometry.pad_left = 0;
  desc.geometry.pad_bottom = desc.geometry.pad_right = 0;
  desc.geometry.in_height += 2;
  desc.geometry.in_width += 2;
  EXPECT_FALSE(declares(desc, hw)) << "nothing is padded";
}

TEST(Lower, IsDeterministicAndNamesItsInstructions) {
  const HwConfig hw = HwConfig::makeDefault();
  const Result<Program> first = lower(smallConvolution(), {}, hw);
  const Result<Program> second = lower(smallConvolution(), {}, hw);
  ASSERT_TRUE(first.ok());
  EXPECT_EQ(*first, *second);
  EXPECT_EQ(first->symbolAt(3), "conv");
}

TEST(Lower, ProgramsFor002StartWithComputeAndEndAfterTheStore) {
  for (const KernelDesc& desc :
       {smallConvolution(), smallPool(KernelKind::kMaxPool), smallPool(KernelKind::kSumPool)}) {
    const Result<Program> program = lower(desc, {}, compatHw());
    ASSERT_TRUE(program.ok()) << program.status().message();
    EXPECT_EQ(program->instructions.front().unit(), Unit::kCompute);
    EXPECT_FALSE(program->instructions.front().tokens.pop_prev);
    EXPECT_FALSE(program->instructions.front().tokens.pop_next);
    EXPECT_EQ(program->instructions.back().opcode, Opcode::kFinish);
    EXPECT_TRUE(program->instructions.back().tokens.pop_next);
    EXPECT_TRUE(verifyProgramStatus(*program, compatHw()).ok());
  }
}

TEST(Lower, AWholeTileIsOneGemm) {
  Schedule s;
  s.tile_height = s.tile_width = 8;
  s.tile_out_blocks = s.tile_in_blocks = 2;
  const Result<Program> program = lower(smallConvolution(), s, HwConfig::makeDefault());
  ASSERT_TRUE(program.ok());
  int gemms = 0;
  for (const Instruction& insn : program->instructions) {
    gemms += insn.opcode == Opcode::kGemm && !insn.gemm().reset ? 1 : 0;
  }
  EXPECT_EQ(gemms, 1);
}

// Kinds of instructions in program order, loads and stores left out.
std::string computeOrder(const Program& program) {
  std::string order;
  for (const Instruction& insn : program.instructions) {
    if (insn.opcode == Opcode::kGemm) order += insn.gemm().reset ? 'r' : 'g';
    if (insn.opcode == Opcode::kAlu) order += insn.alu().alu_opcode == AluOpcode::kMul ? 'c' : 'a';
  }
  return order;
}

// Where engines work side by side, the next tile is cleared before a tile's ALU steps, by the ALU
// if the slot held a value, so that only GEMM waits for GEMM.
TEST(Lower, TheNextTileIsClearedBeforeTheAluWorks) {
  KernelDesc desc = smallConvolution();
  desc.epilogue = {{AluOpcode::kAdd, Source::kParam, 0, 0}};
  Schedule s;
  s.tile_height = 2;
  s.tile_width = 8;
  s.tile_out_blocks = s.tile_in_blocks = 2;
  const Result<Program> pipelined = lower(desc, s, HwConfig::makeDefault());
  ASSERT_TRUE(pipelined.ok());
  EXPECT_EQ(computeOrder(*pipelined), "rgragcagcaga");
  const HwConfig sequential = withParams([](HwParams& p) { p.concurrent_compute = false; });
  const Result<Program> in_order = lower(desc, s, sequential);
  ASSERT_TRUE(in_order.ok());
  EXPECT_EQ(computeOrder(*in_order), "rgargargarga");
}

TEST(Lower, MicroOpsOfFreshKernelsComeInOneLoad) {
  Schedule s;
  s.tile_height = 2;
  s.tile_width = 8;
  const Result<Program> program = lower(smallConvolution(), s, HwConfig::makeDefault());
  ASSERT_TRUE(program.ok());
  uint32_t loads = 0;
  for (const Instruction& insn : program->instructions) {
    if (insn.opcode != Opcode::kLoad || insn.mem().memory_type != MemoryType::kUop) continue;
    ++loads;
    EXPECT_EQ(insn.mem().x_size, program->uops.size());
  }
  EXPECT_EQ(loads, 1u);
}

TEST(IdentityWeights, MapEachInputLaneToTheSameOutputLane) {
  const std::vector<int8_t> weights = identityWeights(HwConfig::makeDefault());
  ASSERT_EQ(weights.size(), 256u);
  for (int o = 0; o < 16; ++o) {
    for (int i = 0; i < 16; ++i) EXPECT_EQ(weights[o * 16 + i], o == i ? 1 : 0);
  }
}

}  // namespace
}  // namespace vta::kernel::testing
