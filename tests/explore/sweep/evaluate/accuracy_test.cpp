// Evaluations with a meter of accuracy: what it is asked for, and what becomes of its errors.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>

#include "base/temporary_folder.h"
#include "explore/sweep/evaluate/evaluator.h"
#include "tests/explore/sweep/space/beside_digits.h"

namespace vta::sweep {
namespace {

using testing::HasSubstr;

constexpr const char* kWidths = R"(
base: ../../configs/hw/small-1x8x8.yaml
grid: {operands.wgt_width_bits: [8, 4], clock_mhz: [50, 100]}
derive: {buffers.wgt_buf_bytes: 1024 * 64 * operands.wgt_width_bits / 8}
models: {file: digits.onnx, accuracy: {samples: images}}
)";

Result<LoadedModel> loadDigits(const ModelEntry& entry, int64_t /*batch*/) {
  LoadedModel loaded;
  VTA_ASSIGN_OR_RETURN(loaded.model, compiler::Model::load(entry.file, {}));
  loaded.quantize.samples = {{{"image", Tensor::zeros(DType::kF32, {1, 1, 32, 32})}}};
  return loaded;
}

/// Knows the accuracy of weights of 8 bits alone.
class FakeMeter final : public AccuracyMeter {
 public:
  Status check(const ModelEntry& /*entry*/) override { return checked; }
  Result<Accuracy> measure(const ModelEntry& /*entry*/, const HwConfig& hw) override {
    if (hw.params().wgt_width_bits == 8) return Accuracy{20, 19, 0, 0, 0};
    return internalError("made up");
  }

  Status checked;
};

class AccuracyEvaluationTest : public testing::Test {
 protected:
  Result<std::vector<PointResult>> evaluate(const std::string& more) {
    VTA_ASSIGN_OR_RETURN(sweep_, parseBesideDigits(kWidths + more));
    VTA_ASSIGN_OR_RETURN(const TemporaryFolder folder, TemporaryFolder::create("accuracy_test"));
    ModelLibrary library(loadDigits);
    EvaluatorOptions options;
    options.cache_file = folder.path() / "sweep.db";
    options.accuracy_meter = &meter_;
    VTA_ASSIGN_OR_RETURN(Evaluator evaluator, Evaluator::create(*sweep_, library, options));
    VTA_ASSIGN_OR_RETURN(SweepSpace space, SweepSpace::create(*sweep_));
    std::vector<Point> points;
    for (uint64_t i = 0; i < space.size(); ++i) points.push_back(space.point(space.choicesOf(i)));
    auto results = evaluator.evaluate(std::move(points));
    measured_ = evaluator.counts().accuracies;
    return results;
  }

  FakeMeter meter_;
  int64_t measured_ = 0;

 private:
  std::optional<SweepConfig> sweep_;
};

TEST_F(AccuracyEvaluationTest, AnErrorLeavesTheCyclesOfItsPoints) {
  const auto results = evaluate("");
  ASSERT_TRUE(results.ok()) << results.status().message();
  ASSERT_EQ(results->size(), 4u);
  EXPECT_EQ(measured_, 1);  // of 8 bits, once for both clocks
  for (const PointResult& result : *results) {
    EXPECT_TRUE(result.is_feasible) << result.error;
    EXPECT_GT(result.values.at("cycles"), 0);
    const bool is_known = result.values.at("operands.wgt_width_bits") == 8;
    EXPECT_EQ(result.values.contains(kAgreement), is_known);
    EXPECT_FALSE(result.values.contains(kTop1));
    if (is_known) {
      EXPECT_EQ(result.values.at(kAgreement), 95);
    } else {
      EXPECT_THAT(result.models[0].accuracy_error, HasSubstr("made up"));
    }
  }
}

TEST_F(AccuracyEvaluationTest, AnErrorIsTheReasonWhereTheAccuracyCounts) {
  for (const char* use :
       {"objectives: [-agreement_percent]\n", "constraints: [agreement_percent > 90]\n"}) {
    const auto results = evaluate(use);
    ASSERT_TRUE(results.ok()) << results.status().message();
    EXPECT_TRUE((*results)[0].is_feasible) << (*results)[0].error;
    const PointResult& narrow = results->back();
    EXPECT_TRUE(narrow.is_failed);
    EXPECT_FALSE(narrow.is_feasible);
    EXPECT_THAT(narrow.error, HasSubstr("digits: its accuracy is unknown: "));
    EXPECT_THAT(narrow.error, HasSubstr("made up"));
  }
}

TEST_F(AccuracyEvaluationTest, SamplesThatDoNotFitEndTheSweepBeforeItBegins) {
  meter_.checked = invalidArgument("no such label");
  const auto results = evaluate("");
  ASSERT_FALSE(results.ok());
  EXPECT_EQ(results.status().message(), "no such label");
}

}  // namespace
}  // namespace vta::sweep
