// A module that keeps a text: what sessions do with its state.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "compiler/compile.h"
#include "driver/runtime/pipeline.h"
#include "driver/runtime/session.h"
#include "tests/compiler/frontend/model_builder.h"

namespace vta::compiler {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr int64_t kCapacity = 4;

/// Keeps pairs of numbers in two heads, and adds up those of the text: words [1, 2, 1, 1] with a
/// mask over all rows.
class KeptTextTest : public TemporaryDirectoryTest {
 protected:
  void SetUp() override {
    ModelBuilder model;
    model.input("words", {1, 2, 1, 1});
    model.input("attention_mask", {1, -1});
    model.input("past", {1, 2, -1, 1});
    model.node("Concat", {"past", "words"}, {"present"});
    ModelBuilder::attribute(*model.graph().mutable_node(0), "axis", int64_t{2});
    model.node("MatMul", {"attention_mask", "present"}, {"sum"});
    model.output("sum");
    model.output("present");
    model.write(directory_ / "model.onnx");
    const auto loaded = Model::load(directory_ / "model.onnx", {}, {}, false, kCapacity);
    ASSERT_TRUE(loaded.ok()) << loaded.status().message();
    EXPECT_EQ((*loaded)->signature().inputs.size(), 1U);
    EXPECT_EQ((*loaded)->signature().outputs.size(), 1U);
    EXPECT_EQ((*loaded)->signature().context_length, kCapacity);
    CompileOptions options;
    options.partition = Partition::kCpu;
    options.build.code.quality = codegen::CodeQuality::kDraft;
    const auto compiled = (*loaded)->compile(options);
    ASSERT_TRUE(compiled.ok()) << compiled.status().message();
    auto module = driver::LoadedModule::fromMemory(compiled->elf);
    ASSERT_TRUE(module.ok()) << module.status().message();
    module_ = *module;
    session_ = newSession();
  }

  std::unique_ptr<driver::Session> newSession() {
    auto session =
        driver::Session::create(module_, static_cast<driver::MemoryDevice*>(nullptr), {});
    EXPECT_TRUE(session.ok()) << session.status().message();
    return *std::move(session);
  }

  static Result<std::vector<float>> read(driver::Session& session, float first, float second) {
    Tensor words = Tensor::zeros(DType::kF32, {1, 2, 1, 1});
    words.as<float>()[0] = first;
    words.as<float>()[1] = second;
    auto ran = session.run({{"words", words}});
    if (!ran.ok()) return ran.status();
    const auto sum = ran->outputs.at("sum").as<float>();
    return std::vector<float>(sum.begin(), sum.end());
  }

  std::shared_ptr<const driver::LoadedModule> module_;
  std::unique_ptr<driver::Session> session_;
};

TEST_F(KeptTextTest, RunsAddUpWhatEarlierOnesHaveRead) {
  EXPECT_THAT(*read(*session_, 1, 10), ElementsAre(1, 10));
  EXPECT_THAT(*read(*session_, 2, 20), ElementsAre(3, 30));
  EXPECT_EQ(session_->textLength(), 2);
  EXPECT_THAT(*read(*session_, 3, 30), ElementsAre(6, 60));
  EXPECT_THAT(*read(*session_, 4, 40), ElementsAre(10, 100));
}

TEST_F(KeptTextTest, ATextThatIsTooLongIsAnErrorThatChangesNothing) {
  for (int i = 0; i < kCapacity; ++i) ASSERT_TRUE(read(*session_, 1, 1).ok());
  const auto more = read(*session_, 1, 1);
  EXPECT_EQ(more.status().code(), StatusCode::kResourceExhausted);
  EXPECT_THAT(more.status().message(), HasSubstr("4 words"));
  EXPECT_EQ(session_->textLength(), kCapacity);
  ASSERT_TRUE(session_->clearState().ok());
  EXPECT_EQ(session_->textLength(), 0);
  EXPECT_THAT(*read(*session_, 5, 6), ElementsAre(5, 6));
}

TEST_F(KeptTextTest, AWrongInputChangesNothing) {
  ASSERT_TRUE(read(*session_, 1, 1).ok());
  EXPECT_FALSE(session_->run({}).ok());
  EXPECT_EQ(session_->textLength(), 1);
}

TEST_F(KeptTextTest, StateIsSavedAndLoaded) {
  ASSERT_TRUE(read(*session_, 1, 10).ok());
  const auto state = session_->saveState();
  ASSERT_TRUE(state.ok());
  EXPECT_THAT(*read(*session_, 2, 20), ElementsAre(3, 30));
  ASSERT_TRUE(session_->loadState(*state).ok());
  EXPECT_THAT(*read(*session_, 5, 50), ElementsAre(6, 60));
  const auto other = newSession();
  ASSERT_TRUE(other->loadState(*state).ok());
  EXPECT_EQ(other->textLength(), 1);
  EXPECT_THAT(*read(*other, 7, 70), ElementsAre(8, 80));
}

TEST_F(KeptTextTest, AnotherStateIsRefused) {
  ASSERT_TRUE(read(*session_, 1, 10).ok());
  auto state = *session_->saveState();
  state.pop_back();
  EXPECT_THAT(session_->loadState(state).message(), HasSubstr("is not of this module"));
  EXPECT_THAT(*read(*session_, 2, 20), ElementsAre(3, 30));
}

TEST_F(KeptTextTest, AForkGoesOnByItself) {
  ASSERT_TRUE(read(*session_, 1, 10).ok());
  const auto fork = session_->fork();
  ASSERT_TRUE(fork.ok()) << fork.status().message();
  EXPECT_THAT(*read(**fork, 2, 20), ElementsAre(3, 30));
  EXPECT_THAT(*read(*session_, 4, 40), ElementsAre(5, 50));
  EXPECT_THAT(*read(**fork, 1, 1), ElementsAre(4, 31));
}

TEST_F(KeptTextTest, APipelineReadsInOrder) {
  auto pipeline = driver::Pipeline::create(module_, nullptr, {}, 2);
  ASSERT_TRUE(pipeline.ok());
  EXPECT_EQ((*pipeline)->lanes(), 1);
}

}  // namespace
}  // namespace vta::compiler
