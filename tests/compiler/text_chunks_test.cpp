// A module that reads several words of a text in a run: what sessions do with fewer.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "compiler/compile.h"
#include "driver/runtime/session.h"
#include "module/analysis/text_rows.h"
#include "tests/compiler/text_model.h"

namespace vta::compiler {
namespace {

using ::testing::FloatEq;
using ::testing::HasSubstr;
using ::testing::Pointwise;

auto Means(const std::vector<float>& means) { return Pointwise(FloatEq(), means); }

/// On the means of the text's numbers.
class TextChunksTest : public TemporaryDirectoryTest {
 protected:
  static constexpr int64_t kCapacity = 7;
  static constexpr int64_t kChunk = 3;

  Result<std::shared_ptr<const Model>> load(ModelBuilder model, int64_t capacity = kCapacity,
                                            int64_t chunk = kChunk) {
    model.write(directory_ / "model.onnx");
    return Model::load(directory_ / "model.onnx", {}, {}, false, capacity, chunk);
  }

  std::string refusal(const ModelBuilder& model, int64_t capacity = kCapacity) {
    const auto loaded = load(model, capacity);
    EXPECT_FALSE(loaded.ok());
    return loaded.status().message();
  }

  void open() {
    const auto loaded = load(meanOfText());
    ASSERT_TRUE(loaded.ok()) << loaded.status().message();
    EXPECT_EQ((*loaded)->signature().context_length, kCapacity);
    EXPECT_EQ((*loaded)->signature().run_words, kChunk);
    CompileOptions options;
    options.partition = Partition::kCpu;
    options.build.code.quality = codegen::CodeQuality::kDraft;
    const auto compiled = (*loaded)->compile(options);
    ASSERT_TRUE(compiled.ok()) << compiled.status().message();
    const auto module = driver::LoadedModule::fromMemory(compiled->elf);
    ASSERT_TRUE(module.ok()) << module.status().message();
    EXPECT_EQ(mostWordsOfRun((*module)->info()), kChunk);
    EXPECT_EQ(textCapacity((*module)->info()), kCapacity);
    auto session =
        driver::Session::create(*module, static_cast<driver::MemoryDevice*>(nullptr), {});
    ASSERT_TRUE(session.ok()) << session.status().message();
    session_ = *std::move(session);
  }

  /// The first numbers of the means behind each of `words`, which are pairs x and -x.
  Result<std::vector<float>> read(const std::vector<float>& words) {
    Tensor tensor = Tensor::zeros(DType::kF32, {1, std::ssize(words), 2});
    for (size_t i = 0; i < words.size(); ++i) {
      tensor.as<float>()[2 * i] = words[i];
      tensor.as<float>()[2 * i + 1] = -words[i];
    }
    auto ran = session_->run({{"inputs_embeds", tensor}});
    if (!ran.ok()) return ran.status();
    const auto means = std::as_const(ran->outputs.at("mean")).as<float>();
    EXPECT_EQ(means.size(), 2 * kChunk);
    std::vector<float> first;
    for (size_t i = 0; i < words.size(); ++i) {
      first.push_back(means[2 * i]);
      EXPECT_EQ(means[2 * i + 1], -means[2 * i]);
    }
    return first;
  }

  std::unique_ptr<driver::Session> session_;
};

TEST_F(TextChunksTest, AWordSeesThoseInFrontOfIt) {
  ASSERT_NO_FATAL_FAILURE(open());
  EXPECT_THAT(*read({1, 2, 3}), Means({1, 1.5, 2}));
  EXPECT_THAT(*read({4, 5, 6}), Means({2.5, 3, 3.5}));
  EXPECT_EQ(session_->textLength(), 6);
  EXPECT_THAT(*read({7}), Means({4}));
}

TEST_F(TextChunksTest, RunsMayHaveFewerWords) {
  ASSERT_NO_FATAL_FAILURE(open());
  EXPECT_THAT(*read({1, 2}), Means({1, 1.5}));
  EXPECT_EQ(session_->textLength(), 2);
  EXPECT_THAT(*read({3}), Means({2}));
  EXPECT_THAT(*read({4, 5, 6}), Means({2.5, 3, 3.5}));
  EXPECT_THAT(*read({7}), Means({4}));
  EXPECT_EQ(session_->textLength(), kCapacity);
}

TEST_F(TextChunksTest, RunsThatAreTooLongChangeNothing) {
  ASSERT_NO_FATAL_FAILURE(open());
  ASSERT_TRUE(read({1, 2, 3}).ok());
  ASSERT_TRUE(read({4, 5}).ok());
  const auto three = read({6, 7, 8});
  EXPECT_EQ(three.status().code(), StatusCode::kResourceExhausted);
  EXPECT_THAT(three.status().message(), HasSubstr("5 words, and the module keeps 7"));
  EXPECT_THAT(*read({6, 7}), Means({3.5, 4}));
  EXPECT_FALSE(read({8}).ok());
  EXPECT_THAT(read({1, 2, 3, 4}).status().message(), HasSubstr("1x4x2"));
  EXPECT_THAT(read({}).status().message(), HasSubstr("1x0x2"));
  EXPECT_EQ(session_->textLength(), kCapacity);
}

TEST_F(TextChunksTest, TextsAreShortened) {
  ASSERT_NO_FATAL_FAILURE(open());
  ASSERT_TRUE(read({1, 2, 9}).ok());
  ASSERT_TRUE(session_->shortenText(2).ok());
  EXPECT_EQ(session_->textLength(), 2);
  EXPECT_THAT(*read({3}), Means({2}));
  EXPECT_TRUE(session_->shortenText(3).ok());
  EXPECT_THAT(session_->shortenText(4).message(), HasSubstr("3 words cannot be shortened to 4"));
  EXPECT_THAT(session_->shortenText(-1).message(), HasSubstr("to -1"));
  ASSERT_TRUE(session_->shortenText(0).ok());
  EXPECT_THAT(*read({5, 6}), Means({5, 5.5}));
}

TEST_F(TextChunksTest, StateIsSavedAndForked) {
  ASSERT_NO_FATAL_FAILURE(open());
  ASSERT_TRUE(read({1, 2}).ok());
  const auto state = session_->saveState();
  ASSERT_TRUE(state.ok());
  ASSERT_TRUE(read({9, 9, 9}).ok());
  ASSERT_TRUE(session_->loadState(*state).ok());
  EXPECT_EQ(session_->textLength(), 2);
  EXPECT_THAT(*read({3, 4}), Means({2, 2.5}));
}

TEST_F(TextChunksTest, ModelsThatCannotReadChunksAreRefused) {
  EXPECT_THAT(refusal(meanOfText(), 2), HasSubstr("--prompt-chunk=3: a text has 2 words"));
  EXPECT_THAT(refusal(meanOfText(), 0), HasSubstr("--prompt-chunk=3 needs --context-length"));
  ModelBuilder single = meanOfText();
  single.graph().mutable_input(0)->Clear();
  ModelBuilder::setShape(*single.graph().mutable_input(0), "inputs_embeds", {1, 1, 2});
  EXPECT_THAT(refusal(single), HasSubstr("input 'inputs_embeds' is for 1 words"));
  ModelBuilder other = meanOfText();
  other.graph().mutable_input(0)->set_name("x");
  for (auto& node : *other.graph().mutable_node()) {
    for (auto& name : *node.mutable_input()) name = name == "inputs_embeds" ? "x" : name;
  }
  EXPECT_THAT(refusal(other), HasSubstr("no input 'input_ids' or 'inputs_embeds'"));
  ModelBuilder more = meanOfText();
  more.input("speed", {1});
  more.node("Mul", {"mean", "speed"}, {"fast"});
  more.output("fast");
  EXPECT_THAT(refusal(more), HasSubstr("input 'speed' beside 'inputs_embeds'"));
  ModelBuilder masked = meanOfText();
  masked.input("attention_mask", {1, -3});
  masked.graph().mutable_node(4)->set_op_type("Sigmoid");
  masked.graph().mutable_node(4)->clear_attribute();
  EXPECT_THAT(refusal(masked), HasSubstr("--prompt-chunk: the scores of the model's attention"));
}

}  // namespace
}  // namespace vta::compiler
