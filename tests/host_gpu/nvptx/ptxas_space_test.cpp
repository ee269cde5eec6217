// NVIDIA's assembler takes what a search tries, and no register goes to memory.
#include <gtest/gtest.h>

#include <algorithm>

#include "host_gpu/backend/product_code.h"
#include "tests/host_gpu/gpu_test_support.h"
#include "tests/host_gpu/nvptx/ptx_assembler.h"
#include "tests/host_gpu/tensor/tensor_space.h"

namespace vta::codegen::testing {
namespace {

struct Target {
  const char* gpu;
  const char* architecture;  // of the text
  GemmTier tier;
};

class PtxasSpaceTest : public ::testing::TestWithParam<Target> {};

TEST_P(PtxasSpaceTest, TakesSamplesOfTheSpaceWithoutSpills) {
  const std::filesystem::path ptxas = findPtxAssembler();
  if (ptxas.empty()) GTEST_SKIP() << "no ptxas: NVIDIA's CUDA toolkit brings it";
  const auto [gpu, architecture, tier] = GetParam();
  constexpr size_t kSamples = 8;
  int most_registers = 0;
  for (const SpaceCase& test : spaceCases()) {
    const std::string code = test.code();
    for (const GemmSchedule& schedule : sampleSpace(test.layer().spec, gpu, tier, kSamples)) {
      SCOPED_TRACE(test.name + ": " + scheduleText(schedule));
      const auto product = productProgram(code, schedule, limitsOfTarget(gpu));
      ASSERT_TRUE(product.ok()) << product.status().message();
      const auto& codes = product->program.kernels.front().codes;
      const auto text = std::ranges::find(codes, architecture, &GpuCode::target);
      ASSERT_NE(text, codes.end());
      most_registers = std::max(most_registers, expectAssembles(ptxas, architecture, text->text()));
      if (HasFailure()) return;
    }
  }
  RecordProperty("most_registers", most_registers);
  EXPECT_LE(most_registers, 255);
}

INSTANTIATE_TEST_SUITE_P(All, PtxasSpaceTest,
                         ::testing::Values(Target{"sm_75", "sm_75", GemmTier::kDot4},
                                           Target{"sm_80", "sm_80", GemmTier::kTensor},
                                           Target{"sm_90", "sm_80", GemmTier::kTensor},
                                           Target{"sm_90", "sm_90a", GemmTier::kGroup}),
                         [](const auto& info) { return "Target" + std::to_string(info.index); });

}  // namespace
}  // namespace vta::codegen::testing
