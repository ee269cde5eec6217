// Which chains are chosen, by costs that the tests invent.
#include "compiler/kernel/chain/chain_chooser.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "compiler/kernel/chain/chain_search.h"
#include "compiler/kernel/schedule/schedule_space.h"
#include "tests/compiler/kernel/chain/handover_hw.h"

namespace vta::kernel::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// Depthwise, 8 x 8 pixels of two blocks.
KernelDesc layer(const std::string& name) {
  KernelDesc desc;
  desc.name = name;
  Geometry& g = desc.geometry;
  g.in_channel_blocks = g.out_channel_blocks = g.groups = 2;
  g.in_height = g.in_width = g.out_height = g.out_width = 8;
  g.kernel_height = g.kernel_width = 3;
  g.pad_top = g.pad_left = g.pad_bottom = g.pad_right = 1;
  desc.epilogue = {{.opcode = AluOpcode::kShr, .imm = 6}};
  return desc;
}

/// Layers behind each other, named 0, 1, ...; no two are equal, and each pair could be a chain.
std::vector<ScheduledKernel> layers(size_t count, const HwConfig& hw) {
  std::vector<ScheduledKernel> kernels;
  for (size_t i = 0; i < count; ++i) {
    KernelDesc desc = layer(std::to_string(i));
    desc.epilogue.front().imm = static_cast<int32_t>(1 + i);
    const Schedule schedule = *defaultSchedule(desc, hw);
    kernels.push_back({std::move(desc), schedule});
  }
  return kernels;
}

std::vector<KernelPair> neighbours(size_t count) {
  std::vector<KernelPair> pairs;
  for (size_t i = 0; i + 1 < count; ++i) pairs.push_back({i, i + 1});
  return pairs;
}

/// A layer takes 100,000 cycles, and the chain of layers i and i + 1 wins `won[i]`.
ScheduleHints costs(const std::vector<uint64_t>& won) {
  ScheduleHints hints;
  hints.measure = [won](const Program& program, uint64_t most) -> Result<std::optional<uint64_t>> {
    const size_t last = std::stoul(std::string(program.symbolAt(0)));
    const bool is_chain = std::ranges::any_of(program.buffers, [](const BufferDecl& buffer) {
      return buffer.name.starts_with(kProducerPrefix);
    });
    const uint64_t cycles = is_chain ? 200'000 - won[last - 1] : 100'000;
    return cycles <= most ? std::optional(cycles) : std::nullopt;
  };
  return hints;
}

/// The producers of the chains that are chosen.
std::vector<size_t> chosen(const std::vector<uint64_t>& won) {
  const HwConfig hw = defaultWithHandover();
  const size_t count = won.size() + 1;
  const auto chains = chooseChains(layers(count, hw), neighbours(count), hw, costs(won), 4);
  EXPECT_TRUE(chains.ok()) << chains.status().message();
  std::vector<size_t> producers;
  for (const ChosenChain& chain : *chains) {
    EXPECT_EQ(chain.pair.consumer, chain.pair.producer + 1);
    EXPECT_EQ(chain.won_cycles, won[chain.pair.producer]);
    producers.push_back(chain.pair.producer);
  }
  return producers;
}

TEST(ChainChooser, TakesThePairsThatWinMostTogether) {
  EXPECT_THAT(chosen({50}), ElementsAre(0));
  EXPECT_THAT(chosen({0}), IsEmpty());
  EXPECT_THAT(chosen({50, 40}), ElementsAre(0));
  EXPECT_THAT(chosen({40, 50}), ElementsAre(1));
  EXPECT_THAT(chosen({40, 50, 40}), ElementsAre(0, 2));
  EXPECT_THAT(chosen({40, 90, 40}), ElementsAre(1));
  EXPECT_THAT(chosen({40, 0, 40}), ElementsAre(0, 2));
  EXPECT_THAT(chosen({10, 30, 10, 30, 10}), ElementsAre(1, 3));
  EXPECT_THAT(chosen({30, 10, 10, 30, 0, 5}), ElementsAre(0, 3, 5));
}

TEST(ChainChooser, MeasuresNothingWithoutHandover) {
  const HwConfig hw = HwConfig::makeDefault();
  ScheduleHints hints;
  hints.measure = [](const Program&, uint64_t) -> Result<std::optional<uint64_t>> {
    return internalError("measured");
  };
  const auto chains = chooseChains(layers(2, hw), neighbours(2), hw, hints);
  ASSERT_TRUE(chains.ok()) << chains.status().message();
  EXPECT_THAT(*chains, IsEmpty());
  const HwConfig with = defaultWithHandover();
  EXPECT_EQ(chooseChains(layers(2, with), neighbours(2), with, hints).status().message(),
            "measured");
  hints.measure = nullptr;
  EXPECT_THAT(*chooseChains(layers(2, with), neighbours(2), with, hints), IsEmpty());
}

TEST(ChainChooser, SearchesEqualPairsOnce) {
  const HwConfig hw = defaultWithHandover();
  std::vector<ScheduledKernel> kernels = layers(2, hw);
  const std::vector<ScheduledKernel> pair = kernels;
  const auto measurements = [&] {
    int count = 0;
    ScheduleHints hints;
    hints.measure = [&count](const Program&, uint64_t most) {
      ++count;
      return Result<std::optional<uint64_t>>(std::min<uint64_t>(most, 100'000));
    };
    const auto chains = chooseChains(
        kernels, std::vector<KernelPair>{{0, 1}, {kernels.size() - 2, kernels.size() - 1}}, hw,
        hints, 4);
    EXPECT_TRUE(chains.ok());
    return count;
  };
  const int once = measurements();
  kernels.insert(kernels.end(), pair.begin(), pair.end());
  kernels[2].desc.name = "another name";
  EXPECT_EQ(measurements(), once);
  kernels[2].desc.epilogue.front().imm = 9;
  EXPECT_GT(measurements(), once);
}

TEST(ChainSearch, FindsTheSameFastestScheduleAgain) {
  const HwConfig hw = defaultWithHandover();
  const Chain chain{layer("first"), layer("second")};
  std::vector<uint64_t> measured;
  ScheduleHints hints;
  hints.measure = [&](const Program& program, uint64_t most) -> Result<std::optional<uint64_t>> {
    const uint64_t cycles = 100'000 - program.instructions.size();
    measured.push_back(cycles);
    return cycles <= most ? std::optional(cycles) : std::nullopt;
  };
  const auto found = searchChain(chain, hw, hints, 200'000, 30);
  ASSERT_TRUE(found.ok() && *found);
  EXPECT_EQ(measured.size(), 30u);
  EXPECT_EQ((*found)->cycles, std::ranges::min(measured));
  const auto again = searchChain(chain, hw, hints, 200'000, 30);
  EXPECT_EQ((*again)->schedule.toString(), (*found)->schedule.toString());
  const size_t before = measured.size();
  EXPECT_FALSE(*searchChain(chain, hw, hints, 10, 30));  // no program is as short
  EXPECT_EQ(measured.size(), before);
}

}  // namespace
}  // namespace vta::kernel::testing
