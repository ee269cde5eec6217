// The vectorised kernels against plain C++, where random instructions seldom lead: long runs, all
// row counts, extreme values.
#include "sim/functional/kernels/kernels.h"

#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <limits>
#include <random>
#include <vector>

namespace vta::sim {
namespace {

class KernelsTest : public testing::TestWithParam<int64_t> {
 protected:
  void SetUp() override { hwy::SetSupportedTargetsForTest(GetParam()); }
  void TearDown() override { hwy::SetSupportedTargetsForTest(0); }

  const Kernels& kernels() { return selectKernels(HwConfig::makeDefault()); }
  std::mt19937 rng_{1};
};

TEST_P(KernelsTest, TargetIsTheOneAskedFor) {
  const std::string name = GetParam() == HWY_SCALAR ? "scalar" : hwy::TargetName(GetParam());
  EXPECT_EQ(kernels().target, name);
}

TEST_P(KernelsTest, GemmOfEveryRowCountWithExtremeOperands) {
  constexpr int kIn = 16;
  constexpr int kOut = 16;
  constexpr size_t kSteps = 3;
  for (size_t num_rows = 1; num_rows <= 40; ++num_rows) {
    std::vector<int8_t> inp((num_rows + kSteps) * kIn);
    std::vector<int8_t> wgt(kSteps * kIn * kOut);
    for (int8_t& x : inp) x = rng_() % 2 ? -128 : 127;
    for (int8_t& x : wgt) x = rng_() % 2 ? -128 : 127;
    std::vector<int32_t> expected(num_rows * kOut);
    for (int32_t& x : expected) x = static_cast<int32_t>(rng_());
    std::vector<int32_t> actual = expected;
    const auto run = [&](const Kernels& k, std::vector<int32_t>& acc) {
      const uint32_t inp_bytes = k.packedInpRowBytes(kIn);
      const uint32_t wgt_bytes = k.packedWgtBytes(kIn, kOut);
      std::vector<uint8_t> packed_inp((num_rows + kSteps) * inp_bytes);
      std::vector<uint8_t> packed_wgt(kSteps * wgt_bytes);
      k.packInp(inp.data(), inp.size(), packed_inp.data());
      k.packWgt(wgt.data(), kSteps, kIn, kOut, packed_wgt.data());
      std::vector<GemmStep> steps;
      for (uint32_t s = 0; s < kSteps; ++s) steps.push_back({s * inp_bytes, s * wgt_bytes});
      std::vector<GemmRow> rows;
      for (uint32_t r = 0; r < num_rows; ++r) rows.push_back({r * inp_bytes, r * kOut});
      k.gemm({packed_inp.data(), packed_wgt.data(), acc.data(), steps, rows, kIn, kOut});
    };
    run(scalarKernels(), expected);
    run(kernels(), actual);
    ASSERT_EQ(actual, expected) << num_rows << " rows";
  }
}

TEST_P(KernelsTest, AluOnRunsOfAllLengths) {
  constexpr int32_t kSpecial[] = {0,
                                  1,
                                  -1,
                                  31,
                                  32,
                                  -32,
                                  63,
                                  64,
                                  std::numeric_limits<int32_t>::min(),
                                  std::numeric_limits<int32_t>::max()};
  for (const AluOperation& operation : kAluOperations) {
    for (const bool use_imm : {false, true}) {
      const bool is_pair = operation.operand == AluOperand::kPair;
      if (use_imm && (is_pair || operation.operand == AluOperand::kTensor)) continue;
      for (size_t lanes = 4; lanes <= 80; lanes += 4) {
        std::vector<int32_t> x(lanes);
        std::vector<int32_t> y(lanes);
        std::vector<int32_t> bias(lanes);
        for (int32_t& v : bias) v = static_cast<int32_t>(rng_());
        for (int32_t& v : x) v = rng_() % 3 ? static_cast<int32_t>(rng_()) : kSpecial[rng_() % 10];
        for (int32_t& v : y) v = rng_() % 3 ? static_cast<int32_t>(rng_()) : kSpecial[rng_() % 10];
        AluCall call;
        call.opcode = operation.opcode;
        call.imm = use_imm ? static_cast<int16_t>(rng_()) : static_cast<int32_t>(rng_() % 63);
        call.qmul_multiplier_bits = 2 + static_cast<int>(rng_() % 31);
        call.lanes = lanes;
        call.src = use_imm ? nullptr : y.data();
        if (is_pair) call.bias = bias.data();
        call.shift = static_cast<int>(rng_() % 64);
        std::vector<int32_t> expected = x;
        call.dst = expected.data();
        scalarKernels().alu(call);
        call.dst = x.data();
        kernels().alu(call);
        ASSERT_EQ(x, expected) << aluOpcodeName(call.opcode) << " imm " << call.imm;
        // An element combined with itself.
        if (use_imm) continue;
        call.src = call.dst = expected.data();
        scalarKernels().alu(call);
        call.src = call.dst = x.data();
        kernels().alu(call);
        ASSERT_EQ(x, expected) << aluOpcodeName(call.opcode) << " with itself";
      }
    }
  }
}

TEST_P(KernelsTest, NarrowAndWiden) {
  std::vector<int32_t> values(1000);
  for (int32_t& v : values) v = static_cast<int32_t>(rng_());
  std::vector<int8_t> narrow(values.size());
  kernels().narrow(values.data(), values.size(), narrow.data());
  std::vector<int32_t> wide(values.size());
  kernels().widen(narrow.data(), narrow.size(), wide.data());
  for (size_t i = 0; i < values.size(); ++i) {
    ASSERT_EQ(narrow[i], static_cast<int8_t>(values[i] & 0xff));
    ASSERT_EQ(wide[i], narrow[i]);
  }
}

INSTANTIATE_TEST_SUITE_P(Targets, KernelsTest,
                         testing::ValuesIn(hwy::SupportedAndGeneratedTargets()),
                         [](const testing::TestParamInfo<int64_t>& info) {
                           return std::string(hwy::TargetName(info.param));
                         });

}  // namespace
}  // namespace vta::sim
