// Random chains: their program computes what the two kernels do one after the other, bit for bit,
// whatever order the units take within what the tokens allow.
#include "compiler/kernel/chain/chain.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <optional>

#include "compiler/kernel/desc/depthwise_fold.h"
#include "compiler/kernel/desc/scalar_reference.h"
#include "compiler/kernel/schedule/floor/schedule_floor.h"
#include "isa/instruction/handover.h"
#include "isa/program/text/assembler.h"
#include "isa/program/verify/verifier.h"
#include "sim/cycle/program_timer.h"
#include "tests/compiler/kernel/chain/handover_hw.h"
#include "tests/compiler/kernel/device_runner.h"
#include "tests/compiler/kernel/interpreter.h"
#include "tests/compiler/kernel/random_kernel.h"

namespace vta::kernel::testing {
namespace {

using ::testing::HasSubstr;

/// A configuration with the extension, in which an element of OUT is one of INP or several.
HwConfig randomChainHw(Rng& rng) {
  for (;;) {
    HwParams params = randomHw(rng).params();
    params.ext_handover = true;
    params.compat_0_0_2 = false;
    params.hls_timing = false;
    params.block_in = params.block_out >> pick(rng, 0, 2);
    params.inp_buf_bytes = uint64_t{128} << pick(rng, 6, 9);
    params.wgt_buf_bytes = uint64_t{1024} << pick(rng, 6, 9);
    params.acc_buf_bytes = uint64_t{1024} << pick(rng, 5, 9);
    const Result<HwConfig> hw = HwConfig::create(params);
    if (hw.ok()) return *hw;
  }
}

/// A contraction as a chain has it.
KernelDesc randomLink(Rng& rng, const HwConfig& hw) {
  for (;;) {
    KernelDesc desc = randomKernel(rng, hw);
    const bool is_plain = desc.kind == KernelKind::kContraction && !desc.hasLookup() &&
                          desc.weight_layout == WeightLayout::kTiles && !desc.geometry.folds() &&
                          desc.geometry.storesAll();
    if (!is_plain) continue;
    desc.pool.reset();
    desc.bias_exceeds_results = false;
    desc.small_bias_blocks.clear();
    return desc;
  }
}

/// A kernel whose blocks have changed gets as many factors as they take, behind `params` others.
void refitFactors(KernelDesc& desc, int64_t params) {
  desc.factor_blocks = std::min(desc.factor_blocks, desc.geometry.inBlocksPerGroup());
  desc.num_params = params + desc.numFactors();
}

/// `second` with the output of `first` as its input.
void join(const KernelDesc& first, KernelDesc& second, const HwConfig& hw, Rng& rng) {
  const Geometry& from = first.geometry;
  Geometry& to = second.geometry;
  to.batch_blocks = from.batch_blocks;
  const bool is_depthwise = pick(rng, 0, 1) == 0;
  to.in_channel_blocks = from.out_channel_blocks;
  to.groups = is_depthwise ? from.out_channel_blocks : 1;
  if (is_depthwise) to.out_channel_blocks = from.out_channel_blocks;
  to.in_height = from.out_height;
  to.in_width = from.out_width * handoverParts(hw);
  to.out_height = windows(to.in_height, to.pad_top + to.pad_bottom, to.kernel_height, to.stride_y,
                          to.dilation_y);
  to.out_width =
      windows(to.in_width, to.pad_left + to.pad_right, to.kernel_width, to.stride_x, to.dilation_x);
  if (is_depthwise && pick(rng, 0, 1) == 0) {
    if (const auto folded = foldGeometry(second, hw)) second = *folded;
  }
}

std::optional<Chain> randomChain(Rng& rng, const HwConfig& hw) {
  Chain chain{randomLink(rng, hw), randomLink(rng, hw)};
  const auto params_of = [](const KernelDesc& desc) { return desc.num_params - desc.numFactors(); };
  const int64_t producer_params = params_of(chain.producer);
  const int64_t consumer_params = params_of(chain.consumer);
  chain.producer.residual.reset();
  std::erase_if(chain.producer.epilogue, [](const EpilogueStep& step) {
    return step.source == EpilogueStep::Source::kResidual;
  });
  if (chain.producer.geometry.groups > 1) {  // of one block each
    Geometry& g = chain.producer.geometry;
    g.groups = g.in_channel_blocks = g.out_channel_blocks;
  }
  join(chain.producer, chain.consumer, hw, rng);
  refitFactors(chain.producer, producer_params);
  refitFactors(chain.consumer, consumer_params);
  chain.producer.name = "first";
  chain.consumer.name = "second";
  const Geometry& g = chain.consumer.geometry;
  if (g.out_height < 1 || g.out_width < 1 || !checkChain(chain, hw).ok()) return std::nullopt;
  return chain;
}

ChainSchedule randomChainSchedule(Rng& rng, const Chain& chain) {
  const Geometry& g = chain.consumer.geometry;
  ChainSchedule s;
  s.consumer.tile_height = pick(rng, 1, g.out_height);
  s.consumer.tile_width = pick(rng, 0, 1) == 0 ? g.out_width : pick(rng, 1, g.out_width);
  s.consumer.tile_out_blocks = pick(rng, 1, g.out_channel_blocks);
  s.consumer.tile_in_blocks = pick(rng, 1, g.inBlocksPerGroup());
  s.consumer.virtual_threads = static_cast<int>(pick(rng, 1, 2));
  s.consumer.order = static_cast<Schedule::Order>(pick(rng, 0, 1));
  s.consumer.skip_padding = pick(rng, 0, 1) == 0;
  s.consumer.int8_through_gemm = pick(rng, 0, 1) == 0;
  s.producer_in_blocks = pick(rng, 1, chain.producer.geometry.inBlocksPerGroup());
  const auto share = [&] { return static_cast<int>(pick(rng, 1, 7)); };
  s.shares = {share(), share(), share()};
  return s;
}

/// Buffers of a chain, from the operands of its kernels.
std::vector<std::vector<uint8_t>> chainBuffers(const Program& program, const HwConfig& hw,
                                               const Operands& first, const Operands& second) {
  Program of_first = program;
  Program of_second = program;
  constexpr size_t kPrefix = std::char_traits<char>::length(kProducerPrefix);
  for (size_t i = 0; i < program.buffers.size(); ++i) {
    const std::string& name = program.buffers[i].name;
    const bool is_firsts = name.starts_with(kProducerPrefix);
    of_first.buffers[i].name = is_firsts ? name.substr(kPrefix) : "";
    if (is_firsts) of_second.buffers[i].name.clear();
  }
  std::vector<std::vector<uint8_t>> buffers = makeBuffers(of_first, hw, first);
  const std::vector<std::vector<uint8_t>> others = makeBuffers(of_second, hw, second);
  for (size_t i = 0; i < buffers.size(); ++i) {
    if (of_first.buffers[i].name.empty()) buffers[i] = others[i];
  }
  return buffers;
}

void checkProgram(const Program& program, const Chain& chain, const HwConfig& hw, Rng& rng) {
  const Status legal = verifyProgramStatus(program, hw);
  ASSERT_TRUE(legal.ok()) << legal.message() << disassembleProgram(program, hw);
  const Operands first = randomOperands(rng, chain.producer, hw);
  Operands second = randomOperands(rng, chain.consumer, hw);
  second.input =
      runReference(chain.producer, hw, first.input, first.weight, first.param, first.residual);
  const std::vector<int8_t> expected =
      runReference(chain.consumer, hw, second.input, second.weight, second.param, second.residual);
  const auto expectReference = [&](const std::vector<std::vector<uint8_t>>& buffers) {
    const std::vector<uint8_t>& actual = buffers[bufferIndex(program, kOutputBuffer)];
    ASSERT_EQ(actual.size(), expected.size());
    ASSERT_EQ(std::memcmp(actual.data(), expected.data(), actual.size()), 0)
        << disassembleProgram(program, hw);
  };
  std::vector<std::vector<uint8_t>> buffers = chainBuffers(program, hw, first, second);
  ASSERT_EQ(interpret(program, hw, buffers, rng()), "") << disassembleProgram(program, hw);
  expectReference(buffers);
  buffers = chainBuffers(program, hw, first, second);
  const Status status = runOnFunctionalDevice(program, hw, buffers);
  ASSERT_TRUE(status.ok()) << status.message() << disassembleProgram(program, hw);
  expectReference(buffers);
  Result<sim::ProgramTimer> timer = sim::ProgramTimer::create(hw);
  ASSERT_TRUE(timer.ok()) << timer.status().message();
  const Result<LaunchCounters> counters = timer->run(program);
  ASSERT_TRUE(counters.ok()) << counters.status().message();
  EXPECT_LE(leastCycles(program, hw), counters->cycles);
}

TEST(Chain, ComputesWhatItsKernelsDo) {
  constexpr int kChains = 1000;
  int done = 0;
  for (uint64_t seed = 1; done < kChains; ++seed) {
    ASSERT_LT(seed, 100000u) << "too few schedules fit";
    Rng rng(seed);
    const HwConfig hw = randomChainHw(rng);
    const std::optional<Chain> chain = randomChain(rng, hw);
    if (!chain) continue;
    const ChainSchedule schedule = randomChainSchedule(rng, *chain);
    const Placement placement{.from_top = pick(rng, 0, 1) == 1};
    const Result<Program> program = lowerChain(*chain, schedule, hw, placement);
    if (!program.ok()) {
      ASSERT_EQ(program.status().code(), StatusCode::kResourceExhausted)
          << program.status().message();
      continue;
    }
    SCOPED_TRACE(::testing::Message() << "seed " << seed << ": " << describe(chain->producer)
                                      << ", then " << describe(chain->consumer) << " on "
                                      << hw.summary() << ": " << schedule.consumer.toString());
    checkProgram(*program, *chain, hw, rng);
    if (::testing::Test::HasFatalFailure()) return;
    ++done;
  }
}

/// 8 x 8 pixels: from one block to two, and a depthwise 3 x 3 behind it. Each with one operation
/// of the ALU.
Chain expansion() {
  Chain chain;
  chain.producer.name = "expand";
  Geometry& first = chain.producer.geometry;
  first.in_channel_blocks = 1;
  first.out_channel_blocks = 2;
  first.in_height = first.in_width = first.out_height = first.out_width = 8;
  chain.consumer.name = "depthwise";
  Geometry& second = chain.consumer.geometry;
  second = first;
  second.in_channel_blocks = second.groups = 2;
  second.kernel_height = second.kernel_width = 3;
  second.pad_top = second.pad_left = second.pad_bottom = second.pad_right = 1;
  const EpilogueStep shift = {.opcode = AluOpcode::kShr, .imm = 6};
  chain.producer.epilogue = chain.consumer.epilogue = {shift};
  return chain;
}

TEST(Chain, RowsOfTwoTilesAreComputedOnce) {
  const HwConfig hw = defaultWithHandover();
  const Chain chain = expansion();
  ChainSchedule schedule;
  schedule.consumer.tile_width = 8;
  schedule.consumer.order = Schedule::Order::kWeightsOuter;
  sim::ProgramTimer timer = *sim::ProgramTimer::create(hw);
  const auto operationsOf = [&](int64_t height) {
    schedule.consumer.tile_height = height;
    const Result<Program> program = lowerChain(chain, schedule, hw);
    EXPECT_TRUE(program.ok()) << program.status().message();
    const LaunchCounters counters = *timer.run(*program);
    EXPECT_EQ(counters.store.write_bytes, 8u * 8 * 2 * 16);  // no more than the output
    return counters.gemm_uops + counters.alu_uops;
  };
  const uint64_t of_one_tile = operationsOf(8);
  EXPECT_EQ(operationsOf(2), of_one_tile);
  EXPECT_EQ(operationsOf(3), of_one_tile);
  // A tile of one row begins two rows above the one that the tile before it has computed.
  EXPECT_GT(operationsOf(1), of_one_tile);
}

// With one slot for the producer's tiles, OUT loses the rows of the tile before.
TEST(Chain, RowsAreComputedAgainWhereOutHasNoRoomForThem) {
  HwParams params = defaultWithHandover().params();
  params.acc_buf_bytes = 128 * 64;  // elements
  const HwConfig hw = *HwConfig::create(params);
  const Chain chain = expansion();
  ChainSchedule schedule;
  schedule.consumer.tile_height = 2;
  schedule.consumer.tile_width = 8;
  schedule.consumer.order = Schedule::Order::kWeightsOuter;
  int fitting = 0;
  Rng rng(1);
  for (int share = 1; share <= 7; ++share) {
    SCOPED_TRACE(share);
    schedule.shares.acc = share;
    const Result<Program> program = lowerChain(chain, schedule, hw);
    if (!program.ok()) continue;
    ++fitting;
    checkProgram(*program, chain, hw, rng);
  }
  EXPECT_GE(fitting, 4);
}

TEST(Chain, RefusesWhatIsNone) {
  const HwConfig hw = defaultWithHandover();
  ASSERT_TRUE(checkChain(expansion(), hw).ok());
  const auto messageOf = [&](const auto& change, const HwConfig& on) {
    Chain chain = expansion();
    change(chain);
    const Status status = checkChain(chain, on);
    EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
    return status.message();
  };
  const auto nothing = [](Chain&) {};
  EXPECT_THAT(messageOf(nothing, HwConfig::makeDefault()), HasSubstr("no extension handover"));
  const auto refused = [&](const auto& change) { return messageOf(change, hw); };
  EXPECT_THAT(refused([](Chain& c) { c.producer.residual.emplace(); }), HasSubstr("a residual"));
  EXPECT_THAT(refused([](Chain& c) {
                c.consumer.geometry.in_height = 9;
                c.consumer.geometry.out_height = 9;
              }),
              HasSubstr("not the input of the second"));
  EXPECT_THAT(refused([](Chain& c) {
                c.producer.geometry.in_channel_blocks = 1;
                c.consumer.kind = KernelKind::kSumPool;
              }),
              HasSubstr("both have to be contractions"));
  EXPECT_THAT(refused([](Chain& c) {
                Geometry& g = c.consumer.geometry;
                g.groups = 1;
                g.kernel_height = g.kernel_width = 1;
                g.pad_top = g.pad_left = g.pad_bottom = g.pad_right = 0;
                g.stride_y = g.stride_x = 2;
                g.out_height = g.out_width = 4;
              }),
              HasSubstr("every row"));
}

TEST(Chain, RefusesSchedulesThatDoNotFit) {
  const HwConfig hw = defaultWithHandover();
  const auto errorOf = [&](const ChainSchedule& schedule) {
    return lowerChain(expansion(), schedule, hw).status().message();
  };
  ChainSchedule schedule;
  schedule.consumer.tile_height = 2;
  EXPECT_EQ(errorOf(schedule), "");
  schedule.shares.acc = 8;
  EXPECT_THAT(errorOf(schedule), HasSubstr("8 eighths; legal: 1 to 7"));
  schedule.shares.acc = 4;
  schedule.consumer.tile_kernel_height = 1;
  EXPECT_THAT(errorOf(schedule), HasSubstr("all taps"));
  schedule.consumer.tile_kernel_height = 0;
  schedule.consumer.tile_height = schedule.consumer.tile_width = 8;
  schedule.consumer.tile_out_blocks = 2;
  HwParams small = hw.params();
  small.acc_buf_bytes = 8 * 1024;
  const auto errorOn = [&](const HwParams& params) {
    return lowerChain(expansion(), schedule, *HwConfig::create(params)).status().message();
  };
  EXPECT_THAT(errorOn(small), HasSubstr("does not fit"));
  small = hw.params();
  small.token_queue_depth = 4;
  EXPECT_THAT(errorOn(small), HasSubstr("token queue depth"));
}

}  // namespace
}  // namespace vta::kernel::testing
