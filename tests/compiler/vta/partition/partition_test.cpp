// Random integer networks give the same bits before and after partition, on several configurations.
#include <gtest/gtest.h>

#include "tests/compiler/vta/partition_runner.h"
#include "tests/compiler/vta/random_network.h"

namespace vta::compiler {
namespace {

struct Case {
  const char* name;
  HwConfig (*hw)();
  bool all_on_vta = true;
};

HwConfig load(const char* file) {
  auto hw = loadHwConfig(std::string(VTA_SOURCE_DIR "/configs/hw/") + file);
  EXPECT_TRUE(hw.ok()) << hw.status().message();
  return *hw;
}

HwConfig unequalBlocks() {
  HwParams params = HwConfig::makeDefault().params();
  params.name = "unequal";
  params.block_out = 8;
  auto hw = HwConfig::create(params);
  EXPECT_TRUE(hw.ok()) << hw.status().message();
  return *hw;
}

// Without ACC_8BIT loads and with unequal blocks, kernels cannot read int8 into accumulators: pools
// and residuals go back to the host after packing.
HwConfig compatUnequalBlocks() {
  HwParams params = load("vta-0.0.2.yaml").params();
  params.name = "compat-unequal";
  params.block_out = 8;
  params.wgt_buf_bytes /= 2;  // as many elements as with equal blocks: the base encoding's limit
  params.acc_buf_bytes /= 2;
  auto hw = HwConfig::create(params);
  EXPECT_TRUE(hw.ok()) << hw.status().message();
  return *hw;
}

class PartitionTest : public ::testing::TestWithParam<Case> {
 protected:
  void check(const RandomNetwork& network) {
    const std::string text = network.finish();
    Tensor input = Tensor::zeros(DType::kI8, network.inputShape());
    std::mt19937 rng(7);
    for (int8_t& element : input.as<int8_t>()) element = static_cast<int8_t>(rng());
    auto whole = runWhole(text, input);
    ASSERT_TRUE(whole.ok()) << whole.status().message();
    auto run = runPartitioned(text, hw_, input);
    ASSERT_TRUE(run.ok()) << run.status().message() << "\n" << text.substr(0, 4000);
    EXPECT_EQ(run->output.data, whole->data);
    EXPECT_GT(run->num_kernels, 0);
    if (GetParam().all_on_vta) {
      EXPECT_EQ(run->macs_on_host, 0);
    }
    run_ = *run;
  }

  HwConfig hw_ = GetParam().hw();
  PartitionedRun run_;
};

TEST_P(PartitionTest, FirstLayerStridedThenPoolsAndDense) {
  RandomNetwork network(1, hw_, {1, 3, 17, 19});
  network.conv(20, 7, 2, 3, 1, 1, -3);
  network.maxPool(3, 2, 1, false);
  network.conv(24, 3, 1, 1);
  network.residualConv(3);
  network.sumPool(3, 2, 1, -128);
  network.dense(10);
  check(network);
  EXPECT_EQ(run_.macs_on_vta + run_.macs_on_host,
            20 * 9 * 10 * 3 * 49 + 24 * 5 * 5 * 20 * 9 + 24 * 5 * 5 * 24 * 9 + 10 * 24 * 3 * 3);
}

TEST_P(PartitionTest, FirstLayerOneChannelWholeWindow) {
  RandomNetwork network(2, hw_, {1, 1, 9, 8});
  network.conv(6, 3, 1, 1);
  network.addTwice();
  network.conv(5, 1, 1, 0);
  check(network);
}

// As many taps as no copies of their own are made for: in steps that do not divide them, and one by
// one.
TEST_P(PartitionTest, FirstLayerLongRows) {
  for (const int64_t stride : {3, 1}) {
    RandomNetwork network(11, hw_, {1, 2, 30, 40});
    network.conv(9, 20, stride, 7, 1, 1, -3);
    network.conv(5, 1, 1, 0);
    check(network);
  }
}

TEST_P(PartitionTest, DepthwiseSeparable) {
  RandomNetwork network(3, hw_, {1, 3, 14, 14});
  network.conv(24, 3, 2, 1);
  network.conv(24, 3, 1, 1, 24);
  network.conv(40, 1, 1, 0);
  network.conv(40, 3, 2, 1, 40);
  network.conv(18, 1, 1, 0);
  check(network);
}

TEST_P(PartitionTest, GroupsDilationAndOddPads) {
  RandomNetwork network(4, hw_, {1, 32, 11, 9});
  network.conv(64, 3, 1, 1, 2);          // groups of whole blocks
  network.conv(48, 3, 1, 2, 4, 2);       // groups of part of a block in or out
  network.conv(9, 2, 3, 1, 3, 1, -128);  // ragged groups, least-value padding
  network.conv(30, 5, 1, 2, 1, 1, 5);    // padding that no load makes
  check(network);
}

// Where it pays, convolution and maximum pooling are one kernel.
TEST_P(PartitionTest, ConvolutionsWithMaximumPooling) {
  RandomNetwork network(8, hw_, {1, 16, 37, 34});
  network.conv(40, 3, 1, 1);
  network.maxPool(3, 2, 1, false);
  network.conv(24, 1, 1, 0);
  network.maxPool(2, 2, 0, false);
  network.conv(32, 3, 1, 1, 2, 1, -128);
  network.maxPool(3, 3, 1, false);
  check(network);
  EXPECT_LT(run_.num_kernels, 6);
}

TEST_P(PartitionTest, BatchOfImages) {
  RandomNetwork network(5, hw_, {6, 20, 6, 5});
  network.conv(12, 3, 1, 1);
  network.maxPool(2, 2, 0, true);
  network.residualConv(1);
  network.sumPool(3, 3, 1);
  network.dense(33);
  network.dense(7);
  check(network);
}

TEST_P(PartitionTest, MatrixRows) {
  RandomNetwork network(6, hw_, {2, 5, 50});  // rank 3: rows are the first two dimensions
  network.dense(20);
  network.addTwice();
  network.dense(3);
  check(network);
}

TEST_P(PartitionTest, ConcatenationOfWholeAndRaggedBlocks) {
  RandomNetwork network(7, hw_, {1, 16, 5, 6});
  network.concatBranches(32, 20);
  network.concatBranches(5, 9);
  network.conv(8, 3, 1, 1);
  check(network);
}

TEST_P(PartitionTest, BordersAndRolls) {
  RandomNetwork network(10, hw_, {2, 20, 5, 6});
  network.conv(20, 3, 1, 1);
  network.border("edge", 2, 0, 1, 3);
  network.conv(24, 3, 1, 0);
  network.border("reflect", 1, 3, 0, 2);
  network.maxPool(3, 2, 1, true);
  network.border("wrap", 2, -1, -2, 1);  // rolled
  network.border("edge", 1, 1, 1, 1);    // by a kernel of its own
  network.conv(9, 2, 1, 0);
  network.border("wrap", 0, 0, 4, 9);
  network.conv(8, 3, 1, 1);
  check(network);
}

TEST_P(PartitionTest, PhasesOfGroups) {
  RandomNetwork network(11, hw_, {1, 40, 5, 4});
  network.conv(40, 1, 1, 0);
  network.phases(40, 2, 2, 40);  // depthwise
  network.conv(64, 1, 1, 0);
  network.phases(32, 2, 2, 2);   // groups of whole blocks
  network.phases(64, 1, 2, 16);  // of parts of blocks
  network.phases(12, 1, 3, 4);   // groups that fill no blocks together
  network.border("edge", 1, 1, 1, 1);
  network.conv(8, 3, 2, 0);
  check(network);
}

INSTANTIATE_TEST_SUITE_P(Configurations, PartitionTest,
                         ::testing::Values(Case{"default", [] { return HwConfig::makeDefault(); }},
                                           Case{"compat", [] { return load("vta-0.0.2.yaml"); }},
                                           Case{"batched",
                                                [] { return load("batched-4x16x16.yaml"); }},
                                           Case{"unequal", unequalBlocks},
                                           Case{"compat_unequal", compatUnequalBlocks, false}),
                         [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace vta::compiler
