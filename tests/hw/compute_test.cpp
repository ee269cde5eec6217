// The compute unit against the functional model, and against its timing contract (docs/timing.md).
#include <gtest/gtest.h>

#include <string>

#include "Vcompute_default.h"
#include "Vcompute_fast.h"
#include "Vcompute_lut.h"
#include "Vcompute_pumped.h"
#include "Vcompute_single.h"
#include "Vcompute_tiny.h"
#include "Vcompute_wide.h"
#include "isa/spec/timing.h"
#include "tests/hw/compute_bench.h"

namespace vta::hw::test {
namespace {

using timing::kAluDepth;
using timing::kScanLatency;

struct DefaultConfig {
  using Model = Vcompute_default;
  static constexpr const char* kYaml = "/configs/hw/default.yaml";
};
struct SingleConfig {  // without two products in a DSP block
  using Model = Vcompute_single;
  static constexpr const char* kYaml = "/configs/hw/default.yaml";
};
struct FastConfig {  // in the forms that simulate faster
  using Model = Vcompute_fast;
  static constexpr const char* kYaml = "/configs/hw/default.yaml";
};
struct PumpedConfig {
  using Model = Vcompute_pumped;
  static constexpr const char* kYaml = "/tests/hw/configs/pumped-1x8x16.yaml";
};
struct LutConfig {
  using Model = Vcompute_lut;
  static constexpr const char* kYaml = "/tests/hw/configs/lut-2x4x4.yaml";
};
struct TinyConfig {
  using Model = Vcompute_tiny;
  static constexpr const char* kYaml = "/tests/hw/configs/tiny-2x4x8.yaml";
};
struct WideConfig {
  using Model = Vcompute_wide;
  static constexpr const char* kYaml = "/tests/hw/configs/wide-1x32x4.yaml";
};

template <typename Config>
class ComputeTest : public testing::Test {
 protected:
  using Bench = ComputeBench<typename Config::Model>;

  HwConfig hw_ = *loadHwConfig(std::string(VTA_SOURCE_DIR) + Config::kYaml);
  const uint64_t gemm_depth_ = timing::gemmDepth(hw_.params());
  const uint64_t acc_latency_ = timing::accLatency(hw_.params());
  const uint64_t alu_passes_ = static_cast<uint64_t>(hw_.params().alu_passes);

  // Compares all bits of ACC: OUT shows the low ones, shifts bring down the others.
  void compareAcc(StreamBuilder& builder, Bench& bench) {
    const uint32_t depth = hw_.depthElems(MemoryType::kAcc);
    for (int byte = 0; byte < 4; ++byte) {
      if (byte > 0) {
        const size_t first = builder.stream().instructions.size();
        if (byte == 1) builder.appendUops(0, {Uop{}});
        AluInsn shift;
        shift.alu_opcode = AluOpcode::kShr;
        shift.use_imm = true;
        shift.imm = 8;
        shift.uop_end = 1;
        shift.iter_out = depth > 4096 ? 2 : 1;
        shift.iter_in = depth / shift.iter_out;
        shift.dst_factor_out = depth / 2;
        shift.dst_factor_in = 1;
        ASSERT_TRUE(builder.append(Instruction::alu(shift)));
        const BenchResult result =
            bench.run(builder.stream(), first, pads(builder), {.random_delays = false});
        ASSERT_FALSE(result.fault);
      }
      for (uint32_t element = 0; element < depth; ++element) {
        const std::vector<std::byte> out = bench.readOut(element);
        for (size_t lane = 0; lane < out.size(); ++lane) {
          ASSERT_EQ(static_cast<int8_t>(out[lane]),
                    static_cast<int8_t>(pads(builder).acc(element)[lane]))
              << "element " << element << ", lane " << lane << ", byte " << byte;
        }
      }
    }
  }

  static sim::Scratchpads& pads(StreamBuilder& builder) { return builder.model().scratchpads(); }

  void runRandom(const StreamOptions& options, const BenchOptions& bench_options, uint32_t seed) {
    SCOPED_TRACE("seed " + std::to_string(seed) + ", window " +
                 std::to_string(options.window_elems));
    StreamBuilder builder(hw_, seed);
    builder.appendRandom(options);
    Bench bench(hw_);
    const BenchResult result = bench.run(builder.stream(), 0, pads(builder), bench_options);
    ASSERT_FALSE(result.fault);
    compareAcc(builder, bench);
  }
};

using Configs = testing::Types<DefaultConfig, SingleConfig, FastConfig, PumpedConfig, LutConfig,
                               TinyConfig, WideConfig>;
TYPED_TEST_SUITE(ComputeTest, Configs);

TYPED_TEST(ComputeTest, RandomStreamsMatchTheFunctionalModel) {
  for (uint32_t seed = 1; seed <= 12 && !this->HasFailure(); ++seed) {
    // From one element, every access a hazard, to spread over many banks.
    const uint32_t window = 1u << seed % 6;
    this->runRandom({.window_elems = window}, {.random_delays = seed % 3 != 0, .seed = seed}, seed);
  }
}

TYPED_TEST(ComputeTest, FaultIsPrecise) {
  for (uint32_t seed = 100; seed < 106 && !this->HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    StreamBuilder builder(this->hw_, seed);
    builder.appendRandom({.window_elems = 4, .instructions = 12});
    const Instruction bad = builder.outOfBounds();
    const auto number = static_cast<uint32_t>(builder.stream().instructions.size());
    ComputeStream stream = builder.stream();
    stream.instructions.push_back(bad);
    stream.instructions.push_back(Instruction::gemm({}));
    typename TestFixture::Bench bench(this->hw_);
    const BenchResult result = bench.run(stream, 0, TestFixture::pads(builder), {.seed = seed});
    ASSERT_EQ(result.fault, number);
    EXPECT_EQ(result.retired.size(), number);
    // Everything before it has its effect, nothing else has; and the unit goes on after a clear.
    this->compareAcc(builder, bench);
  }
}

bool areApart(const std::vector<uint64_t>& cycles, uint64_t apart) {
  return !cycles.empty() && cycles.back() - cycles.front() == apart * (cycles.size() - 1);
}
bool isContiguous(const std::vector<uint64_t>& cycles) { return areApart(cycles, 1); }

TYPED_TEST(ComputeTest, NoBubbleBetweenGemmInstructions) {
  StreamBuilder builder(this->hw_, 1);
  typename TestFixture::Bench bench(this->hw_);
  builder.appendUops(0, {Uop{}, Uop{}, Uop{}});
  bench.run(builder.stream(), 0, TestFixture::pads(builder), {.random_delays = false});
  // With one iteration the scan needs as long as the execution and has to stream too.
  for (const uint32_t uops : {1u, 3u}) {
    for (const uint32_t iterations : {1u, 2u}) {
      SCOPED_TRACE(uops * 10 + iterations);
      const size_t first = builder.stream().instructions.size();
      GemmInsn gemm;
      gemm.uop_end = uops;
      gemm.iter_out = iterations;
      gemm.iter_in = 1;
      for (int i = 0; i < 40; ++i) {
        gemm.dst_factor_out = static_cast<uint32_t>(i % 2);
        ASSERT_TRUE(builder.append(Instruction::gemm(gemm)));
      }
      const BenchResult result =
          bench.run(builder.stream(), first, TestFixture::pads(builder), {.random_delays = false});
      // Instructions wait for a place in the reorder buffer where it holds less than the pipeline
      // does.
      const uint64_t in_flight = this->gemm_depth_ + this->acc_latency_ + 3;
      if (timing::kReorderDepth * uops * iterations >= in_flight) {
        EXPECT_TRUE(isContiguous(result.gemm_accesses));
      }
      EXPECT_EQ(result.gemm_accesses.size(), 40 * uops * iterations);
    }
  }
  this->compareAcc(builder, bench);
}

TYPED_TEST(ComputeTest, AluStallsOnlyOnBanksAndElementsInFlight) {
  // dst runs over all elements, src beside it: other banks, and written too long ago to be in
  // flight.
  const uint32_t depth = this->hw_.depthElems(MemoryType::kAcc);
  if (depth < 32) GTEST_SKIP() << "every access meets one in flight in " << depth << " elements";
  StreamBuilder builder(this->hw_, 1);
  builder.appendUops(0, {Uop{0, 1, 0}, Uop{2, 2, 0}});
  for (int i = 0; i < 6; ++i) {
    AluInsn alu;
    alu.alu_opcode = AluOpcode::kAdd;
    alu.use_imm = i % 2 == 0;
    alu.imm = 3;
    alu.uop_end = 1;
    alu.iter_out = 1;
    alu.iter_in = 16;
    alu.dst_factor_in = alu.src_factor_in = 1;
    ASSERT_TRUE(builder.append(Instruction::alu(alu)));
  }
  typename TestFixture::Bench bench(this->hw_);
  BenchResult result =
      bench.run(builder.stream(), 0, TestFixture::pads(builder), {.random_delays = false});
  EXPECT_TRUE(areApart(result.alu_accesses, this->alu_passes_));

  // Same element again and again: AccLatency + 1 cycles apart. Two elements of one bank: two
  // accesses.
  const size_t second = builder.stream().instructions.size();
  AluInsn alu;
  alu.alu_opcode = AluOpcode::kAdd;
  alu.uop_bgn = 1;
  alu.uop_end = 2;
  alu.iter_out = 1;
  alu.iter_in = 4;
  ASSERT_TRUE(builder.append(Instruction::alu(alu)));
  result =
      bench.run(builder.stream(), second, TestFixture::pads(builder), {.random_delays = false});
  ASSERT_EQ(result.alu_accesses.size(), 4u);
  for (int i = 1; i < 4; ++i) {
    EXPECT_EQ(result.alu_accesses[i] - result.alu_accesses[i - 1], this->acc_latency_ + 1);
  }

  const size_t third = builder.stream().instructions.size();
  alu.dst_factor_in = 1;
  alu.src_factor_out = 0;
  builder.appendUops(2, {Uop{8, 4, 0}});
  alu.uop_bgn = 2;
  alu.uop_end = 3;
  alu.src_factor_in = 1;
  ASSERT_TRUE(builder.append(Instruction::alu(alu)));
  result = bench.run(builder.stream(), third, TestFixture::pads(builder), {.random_delays = false});
  ASSERT_EQ(result.alu_accesses.size(), 4u);
  for (int i = 1; i < 4; ++i) {
    EXPECT_EQ(result.alu_accesses[i] - result.alu_accesses[i - 1],
              std::max<uint64_t>(2, this->alu_passes_));
  }

  // The same src all the time is read once, whatever its bank.
  const size_t fourth = builder.stream().instructions.size();
  builder.appendUops(3, {Uop{1, 20, 0}});
  alu.uop_bgn = 3;
  alu.uop_end = 4;
  alu.iter_in = 12;
  alu.src_factor_in = 0;
  ASSERT_TRUE(builder.append(Instruction::alu(alu)));
  result =
      bench.run(builder.stream(), fourth, TestFixture::pads(builder), {.random_delays = false});
  EXPECT_EQ(result.alu_accesses.size(), 12u);
  EXPECT_TRUE(areApart(result.alu_accesses, this->alu_passes_));
  this->compareAcc(builder, bench);
}

TYPED_TEST(ComputeTest, EnginesOverlapWhereTheirElementsDoNotMeet) {
  if (this->hw_.depthElems(MemoryType::kAcc) < 32) GTEST_SKIP() << "no room for two ranges";
  StreamBuilder builder(this->hw_, 1);
  typename TestFixture::Bench bench(this->hw_);
  builder.appendUops(0, {Uop{0, 0, 0}, Uop{16, 0, 0}, Uop{15, 0, 0}});
  bench.run(builder.stream(), 0, TestFixture::pads(builder), {.random_delays = false});
  // GEMM writes elements 0 to 15. The ALU works from 16 on, then from 15 on.
  for (const uint32_t uop : {1u, 2u}) {
    const size_t first = builder.stream().instructions.size();
    GemmInsn gemm;
    gemm.uop_end = 1;
    gemm.iter_out = 4;
    gemm.iter_in = 16;
    gemm.dst_factor_in = 1;
    ASSERT_TRUE(builder.append(Instruction::gemm(gemm)));
    AluInsn alu;
    alu.alu_opcode = AluOpcode::kAdd;
    alu.use_imm = true;
    alu.imm = 1;
    alu.uop_bgn = uop;
    alu.uop_end = uop + 1;
    alu.iter_out = 1;
    alu.iter_in = 8;
    alu.dst_factor_in = 1;
    ASSERT_TRUE(builder.append(Instruction::alu(alu)));
    const BenchResult result =
        bench.run(builder.stream(), first, TestFixture::pads(builder), {.random_delays = false});
    const bool overlaps = result.alu_accesses.front() < result.gemm_accesses.back();
    EXPECT_EQ(overlaps, this->hw_.params().concurrent_compute && uop == 1);
    if (!overlaps) {
      EXPECT_EQ(result.alu_accesses.front(),
                result.gemm_accesses.back() + this->acc_latency_ + 1 + kAluDepth);
    }
  }
  this->compareAcc(builder, bench);
}

TYPED_TEST(ComputeTest, LatenciesAreThoseOfTheContract) {
  StreamBuilder builder(this->hw_, 1);
  builder.appendUops(0, {Uop{}});
  typename TestFixture::Bench bench(this->hw_);
  bench.run(builder.stream(), 0, TestFixture::pads(builder), {.random_delays = false});

  // At the head and taken in 0, prepared in 1, scanned in 2; enters an engine after its issue.
  constexpr uint64_t kScanned = 2;
  GemmInsn gemm;
  gemm.uop_end = gemm.iter_out = gemm.iter_in = 1;
  ASSERT_TRUE(builder.append(Instruction::gemm(gemm)));
  BenchResult result =
      bench.run(builder.stream(), 1, TestFixture::pads(builder), {.random_delays = false});
  EXPECT_EQ(result.gemm_accesses,
            std::vector<uint64_t>{kScanned + kScanLatency + 1 + this->gemm_depth_});
  EXPECT_EQ(result.retired, std::vector<uint64_t>{kScanned + kScanLatency + 1 + this->gemm_depth_ +
                                                  this->acc_latency_});
  EXPECT_EQ(result.busy_cycles, 1u);
  EXPECT_EQ(result.hazard_cycles, this->gemm_depth_ + this->acc_latency_ - 1);

  AluInsn alu;
  alu.use_imm = true;
  alu.uop_end = alu.iter_out = alu.iter_in = 1;
  ASSERT_TRUE(builder.append(Instruction::alu(alu)));
  result = bench.run(builder.stream(), 2, TestFixture::pads(builder), {.random_delays = false});
  EXPECT_EQ(result.alu_accesses, std::vector<uint64_t>{kScanned + kScanLatency + 1 + kAluDepth});
  EXPECT_EQ(result.retired,
            std::vector<uint64_t>{kScanned + kScanLatency + 1 + kAluDepth + this->acc_latency_});

  // Nothing to do: finished in the cycle after issue.
  alu.iter_in = 0;
  ASSERT_TRUE(builder.append(Instruction::alu(alu)));
  result = bench.run(builder.stream(), 3, TestFixture::pads(builder), {.random_delays = false});
  EXPECT_EQ(result.retired, std::vector<uint64_t>{kScanned + kScanLatency + 1});
}

}  // namespace
}  // namespace vta::hw::test
