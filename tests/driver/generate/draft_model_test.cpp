// A model that guesses: a table with the token behind each.
#include "driver/generate/draft_model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <vector>

#include "module/executor_kinds.h"
#include "tests/driver/generate/small_tokenizer.h"

namespace vta::driver {
namespace {

using test::kA;
using test::kB;
using test::kC;
using test::kTokens;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr int64_t kRoom = 6;

class DraftModelTest : public testing::Test {
 protected:
  DraftModelTest() : tokenizer_(*parseBinaryTokenizer(test::smallTokenizerFile())) {
    addExecutor(info_, cpuExecutor(), hostMemory());
    info_.tensors = {{"input_ids", DType::kI64, {1, 1}, 0, 0, 8},
                     {"logits", DType::kF32, {1, 1, kTokens}, 0, 64, kTokens * 4}};
    info_.inputs = {{"input_ids", 0}};
    info_.outputs = {{"logits", 1}};
    info_.context.capacity = kRoom;
  }

  Result<RunResult> run(const TensorMap& inputs) {
    const int64_t token = inputs.at("input_ids").as<int64_t>()[0];
    read_.push_back(token);
    ++runs_;
    if (std::ssize(read_) == fails_at_) return Status(StatusCode::kDeviceFault, "broken");
    RunResult result;
    Tensor scores = Tensor::zeros(DType::kF32, info_.tensors[1].shape);
    scores.as<float>()[static_cast<size_t>(next_.at(token))] = 10;
    result.outputs["logits"] = std::move(scores);
    result.profile.resize(1);
    result.profile[0].counters.cycles = 5;
    return result;
  }

  Result<DraftModel> create() {
    return DraftModel::create(
        info_, *tokenizer_, [this](const TensorMap& inputs) { return run(inputs); },
        [this](int64_t length) -> Status {
          read_.resize(static_cast<size_t>(length));
          return {};
        });
  }

  std::vector<int64_t> draft(DraftModel& model, const std::vector<int64_t>& text, size_t most) {
    auto made = model.draft(text, most, counters_);
    EXPECT_TRUE(made.ok()) << made.status().message();
    return *std::move(made);
  }

  std::unique_ptr<Tokenizer> tokenizer_;
  ModuleInfo info_;
  std::map<int64_t, int64_t> next_ = {{kA, kB}, {kB, kC}, {kC, kA}};
  std::vector<int64_t> read_;
  int64_t runs_ = 0, fails_at_ = -1;
  LaunchCounters counters_;
};

TEST_F(DraftModelTest, GoesOnWithItsOwnGuesses) {
  DraftModel model = *create();
  EXPECT_THAT(draft(model, {kA}, 3), ElementsAre(kB, kC, kA));
  EXPECT_THAT(read_, ElementsAre(kA, kB, kC)) << "the last guess need not be read";
  EXPECT_EQ(counters_.cycles, 15U);
}

TEST_F(DraftModelTest, ReadsOnlyWhatIsNew) {
  DraftModel model = *create();
  draft(model, {kA}, 3);
  runs_ = 0;
  EXPECT_THAT(draft(model, {kA, kB, kC, kA}, 1), ElementsAre(kB));
  EXPECT_EQ(runs_, 1);
  EXPECT_THAT(read_, ElementsAre(kA, kB, kC, kA));
}

TEST_F(DraftModelTest, ForgetsWrongGuesses) {
  DraftModel model = *create();
  draft(model, {kA}, 3);
  EXPECT_THAT(draft(model, {kA, kB, kB}, 1), ElementsAre(kC));
  EXPECT_THAT(read_, ElementsAre(kA, kB, kB));
  EXPECT_THAT(draft(model, {kB}, 2), ElementsAre(kC, kA)) << "another text";
  EXPECT_THAT(read_, ElementsAre(kB, kC));
}

TEST_F(DraftModelTest, TheLastTokenIsReadAgainForItsScores) {
  DraftModel model = *create();
  draft(model, {kA}, 3);
  EXPECT_THAT(draft(model, {kA, kB}, 1), ElementsAre(kC));
  EXPECT_THAT(read_, ElementsAre(kA, kB));
}

TEST_F(DraftModelTest, GuessesAsFarAsThereIsRoom) {
  DraftModel model = *create();
  EXPECT_THAT(draft(model, {kA, kB, kC, kA, kB}, 9), ElementsAre(kC, kA));
  EXPECT_EQ(std::ssize(read_), kRoom);
  EXPECT_THAT(draft(model, {kA, kB, kC, kA, kB, kC, kA}, 3), IsEmpty());
  EXPECT_THAT(draft(model, {kA}, 0), IsEmpty());
  EXPECT_THAT(draft(model, {}, 3), IsEmpty());
}

TEST_F(DraftModelTest, FailedRunsAreTold) {
  DraftModel model = *create();
  fails_at_ = 2;
  const auto made = model.draft(std::vector<int64_t>{kA, kB}, 1, counters_);
  EXPECT_THAT(made.status().message(), HasSubstr("broken"));
}

TEST_F(DraftModelTest, OtherModulesAreRefused) {
  info_.context.capacity = 0;
  EXPECT_THAT(create().status().message(), HasSubstr("--context-length"));
}

}  // namespace
}  // namespace vta::driver
