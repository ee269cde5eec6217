// A search on a GPU with tensor cores, which runs PTX on this processor.
#include <gtest/gtest.h>

#include <algorithm>

#include "explore/tune/gpu/gpu_task.h"
#include "explore/tune/tuner/tuner.h"
#include "host_gpu/backend/product_code.h"
#include "tests/driver/gpu/ptx/ptx_device.h"
#include "tests/host_gpu/tensor/tensor_space.h"

namespace vta::codegen::testing {
namespace {

Result<tune::TrialProgram> makeProduct(const tune::GemmTask& task,
                                       const std::optional<GemmSchedule>& schedule) {
  VTA_ASSIGN_OR_RETURN(ProductProgram product,
                       productProgram(task.code, schedule, task.gpu.limits));
  return tune::TrialProgram{std::move(product.program), std::move(product.arguments)};
}

class TensorTuning : public ::testing::Test {
 protected:
  static tune::GemmTask taskOn(const std::string& target) {
    const SpaceCase test = spaceCases().front();
    const ProductLayer layer = test.layer();
    const auto gpu = tune::describeGpu(openerOf(target), std::chrono::seconds(60));
    EXPECT_TRUE(gpu.ok()) << gpu.status().message();
    return {layer.spec, layer.kernel, test.code(), *gpu, {layer.name}};
  }
  static tune::OpenGpu openerOf(const std::string& target) {
    return [target]() -> Result<std::unique_ptr<driver::GpuDevice>> {
      return driver::test::openPtxDevice(target);
    };
  }
};

TEST_F(TensorTuning, TriesSchedulesOfAllTiersAndTheirResultsAreRight) {
  constexpr int64_t kTrials = 16;
  const tune::GemmTask task = taskOn("sm_90");
  EXPECT_EQ(task.gpu.limits.warp, 32);
  EXPECT_EQ(task.gpu.limits.warps_together, 4);
  tune::GemmMeasurer measurer(makeProduct, openerOf("sm_90"),
                              {.timeout = std::chrono::seconds(120), .launches = 1});
  tune::GpuTask target(task, measurer);
  tune::TargetTask* const all[] = {&target};
  tune::Database database = *tune::Database::open(":memory:", tune::Database::Access::kWrite);
  const tune::TuneOptions options = {.searcher = *tune::findSearcher("random"), .trials = kTrials};
  const auto results = tune::Tuner(&database, options).run(all);
  ASSERT_TRUE(results.ok()) << results.status().message();
  EXPECT_EQ(results->front().trials, kTrials);
  EXPECT_EQ(results->front().failed_trials, 0);
  const auto trials = database.trials(target.stored().key, target.source());
  ASSERT_TRUE(trials.ok()) << trials.status().message();
  const auto count = std::ranges::count_if(*trials, [](const tune::TrialRecord& trial) {
    return tune::parseGemmSchedule(trial.schedule)->isTensor();
  });
  EXPECT_GT(count, 0);
  EXPECT_LT(count, kTrials);
}

TEST_F(TensorTuning, TheCompilersChoiceIsWhatTheGpuRuns) {
  for (const auto& [gpu, tier] : {std::pair("sm_75", GemmTier::kDot4),
                                  {"sm_80", GemmTier::kTensor},
                                  {"sm_90", GemmTier::kGroup}}) {
    const tune::GemmTask task = taskOn(gpu);
    tune::GemmMeasurer measurer(makeProduct, openerOf(gpu),
                                {.timeout = std::chrono::seconds(120), .launches = 1});
    tune::GpuTask target(task, measurer);
    ASSERT_TRUE(target.begin().ok());
    const auto choice = target.compilersChoice();
    ASSERT_TRUE(choice.ok()) << choice.status().message();
    EXPECT_EQ(tune::parseGemmSchedule(target.schedule(*choice))->tier, tier) << gpu;
  }
}

}  // namespace
}  // namespace vta::codegen::testing
