// A module that reads a text in runs of several sizes: what sessions do with its buckets.
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
using ::testing::IsEmpty;
using ::testing::Pointwise;

using Chunks = std::vector<int64_t>;

auto Numbers(const std::vector<float>& numbers) { return Pointwise(FloatEq(), numbers); }

/// On the means of the text's numbers.
class TextBucketsTest : public TemporaryDirectoryTest {
 protected:
  static constexpr int64_t kCapacity = 11;

  Result<std::shared_ptr<const Model>> load(ModelBuilder model, const Chunks& chunks,
                                            int64_t capacity = kCapacity) {
    model.write(directory_ / "model.onnx");
    return Model::loadChunks(directory_ / "model.onnx", {}, {}, false, capacity, chunks, false);
  }

  void open(const Chunks& chunks, driver::SessionOptions options = {}) {
    const auto loaded = load(meanOfText(), chunks);
    ASSERT_TRUE(loaded.ok()) << loaded.status().message();
    EXPECT_THAT((*loaded)->notes(), testing::Not(testing::Contains(HasSubstr("no runs"))));
    CompileOptions compile;
    compile.partition = Partition::kCpu;
    compile.build.code.quality = codegen::CodeQuality::kDraft;
    const auto compiled = (*loaded)->compile(compile);
    ASSERT_TRUE(compiled.ok()) << compiled.status().message();
    const auto module = driver::LoadedModule::fromMemory(compiled->elf);
    ASSERT_TRUE(module.ok()) << module.status().message();
    EXPECT_EQ(mostWordsOfRun((*module)->info()), chunks.front());
    EXPECT_EQ(textCapacity((*module)->info()), kCapacity);
    EXPECT_EQ((*module)->info().buckets.size(), chunks.size() - 1);
    auto session =
        driver::Session::create(*module, static_cast<driver::MemoryDevice*>(nullptr), options);
    ASSERT_TRUE(session.ok()) << session.status().message();
    session_ = *std::move(session);
  }

  /// The first numbers of the means behind each of `words`, which are pairs x and -x. `rows_` gets
  /// how many the run had room for.
  Result<std::vector<float>> read(driver::Session& session, const std::vector<float>& words) {
    Tensor tensor = Tensor::zeros(DType::kF32, {1, std::ssize(words), 2});
    for (size_t i = 0; i < words.size(); ++i) {
      tensor.as<float>()[2 * i] = words[i];
      tensor.as<float>()[2 * i + 1] = -words[i];
    }
    auto ran = session.run({{"inputs_embeds", tensor}});
    if (!ran.ok()) return ran.status();
    const auto means = std::as_const(ran->outputs.at("mean")).as<float>();
    rows_ = means.size() / 2;
    EXPECT_EQ(static_cast<int64_t>(rows_), mostWordsOfRun(*ran->network));
    for (const driver::StepProfile& step : ran->profile) {
      EXPECT_LE(step.first_step + step.step_count, ran->network->steps.size());
    }
    layers_ = ran->layers.size();
    EXPECT_TRUE(layers_ == 0 || layers_ == ran->network->steps.size());
    std::vector<float> first;
    for (size_t i = 0; i < words.size(); ++i) {
      first.push_back(means[2 * i]);
      EXPECT_EQ(means[2 * i + 1], -means[2 * i]);
    }
    return first;
  }
  Result<std::vector<float>> read(const std::vector<float>& words) {
    return read(*session_, words);
  }

  std::unique_ptr<driver::Session> session_;
  size_t rows_ = 0, layers_ = 0;
};

TEST_F(TextBucketsTest, ARunTakesTheSmallestThatIsEnough) {
  ASSERT_NO_FATAL_FAILURE(open({4, 2, 1}));
  EXPECT_THAT(*read({1}), Numbers({1}));
  EXPECT_EQ(rows_, 1U);
  EXPECT_THAT(*read({2, 3, 4}), Numbers({1.5, 2, 2.5}));
  EXPECT_EQ(rows_, 4U);
  EXPECT_THAT(*read({5, 6}), Numbers({3, 3.5}));
  EXPECT_EQ(rows_, 2U);
  EXPECT_THAT(*read({7}), Numbers({4}));
  EXPECT_EQ(rows_, 1U);
  EXPECT_THAT(*read({8, 9, 10, 11}), Numbers({4.5, 5, 5.5, 6}));
  EXPECT_EQ(rows_, 4U);
  EXPECT_EQ(session_->textLength(), kCapacity);
  EXPECT_EQ(session_->progress(), 0);
}

TEST_F(TextBucketsTest, EveryWayToReadATextGivesTheSame) {
  ASSERT_NO_FATAL_FAILURE(open({4, 3, 1}));
  for (size_t first = 1; first <= 4; ++first) {
    for (size_t next = 1; next <= 4; ++next) {
      ASSERT_TRUE(session_->clearState().ok());
      std::vector<float> found;
      constexpr size_t kAll = kCapacity;
      size_t at = 0;
      while (at < kAll) {
        const size_t count = std::min(at == 0 ? first : next, kAll - at);
        std::vector<float> words;
        for (size_t i = 0; i < count; ++i) words.push_back(static_cast<float>(at + i));
        const auto means = read(words);
        ASSERT_TRUE(means.ok()) << means.status().message();
        found.insert(found.end(), means->begin(), means->end());
        at += count;
      }
      for (size_t i = 0; i < found.size(); ++i) {
        EXPECT_FLOAT_EQ(found[i], static_cast<float>(i) / 2) << first << " " << next << " " << i;
      }
    }
  }
}

TEST_F(TextBucketsTest, StateIsThatOfAll) {
  ASSERT_NO_FATAL_FAILURE(open({3, 1}));
  ASSERT_TRUE(read({1, 2, 3}).ok());
  ASSERT_TRUE(read({4}).ok());
  const auto state = session_->saveState();
  ASSERT_TRUE(state.ok());
  const auto fork = session_->fork();
  ASSERT_TRUE(fork.ok()) << fork.status().message();
  ASSERT_TRUE(read({9}).ok());
  ASSERT_TRUE(session_->shortenText(2).ok());
  EXPECT_THAT(*read({3}), Numbers({2}));
  EXPECT_THAT(*read({6, 8}), Numbers({3, 4}));
  EXPECT_THAT(*read(**fork, {5}), Numbers({3}));
  ASSERT_TRUE(session_->loadState(*state).ok());
  EXPECT_EQ(session_->textLength(), 4);
  EXPECT_THAT(*read({5, 6}), Numbers({3, 3.5}));
  EXPECT_THAT(session_->loadState(std::span(*state).first(5)).message(),
              HasSubstr("is not of this module"));
  ASSERT_TRUE(session_->clearState().ok());
  EXPECT_THAT(*read({7}), Numbers({7}));
}

TEST_F(TextBucketsTest, ATextOfAnotherModuleIsRefused) {
  ASSERT_NO_FATAL_FAILURE(open({3, 1}));
  ASSERT_TRUE(read({1, 2}).ok());
  const auto loaded = load(meanOfText(), {3, 1}, kCapacity + 20);
  ASSERT_TRUE(loaded.ok()) << loaded.status().message();
  CompileOptions compile;
  compile.partition = Partition::kCpu;
  const auto compiled = (*loaded)->compile(compile);
  ASSERT_TRUE(compiled.ok()) << compiled.status().message();
  const auto module = driver::LoadedModule::fromMemory(compiled->elf);
  ASSERT_TRUE(module.ok());
  auto other = driver::Session::create(*module, static_cast<driver::MemoryDevice*>(nullptr), {});
  ASSERT_TRUE(other.ok());
  EXPECT_THAT((*other)->loadState(*session_->saveState()).message(),
              HasSubstr("is not of this module"));
  EXPECT_EQ((*other)->textLength(), 0);
}

TEST_F(TextBucketsTest, LayersAreThoseOfTheBucket) {
  driver::SessionOptions options;
  options.per_layer = true;
  ASSERT_NO_FATAL_FAILURE(open({3, 1}, options));
  EXPECT_THAT(*read({1, 2, 3}), Numbers({1, 1.5, 2}));
  EXPECT_GT(layers_, 0U);
  EXPECT_THAT(*read({4}), Numbers({2.5}));
  EXPECT_GT(layers_, 0U);
  EXPECT_THAT(*read({5}), Numbers({3}));
}

TEST_F(TextBucketsTest, WhatNoBucketTakesIsRefused) {
  ASSERT_NO_FATAL_FAILURE(open({3, 1}));
  EXPECT_THAT(read({1, 2, 3, 4}).status().message(), HasSubstr("the model wants 1x3x2"));
  EXPECT_THAT(read({}).status().message(), HasSubstr("1x0x2"));
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(read({1, 2, 3}).ok());
  const auto three = read({1, 2, 3});
  EXPECT_EQ(three.status().code(), StatusCode::kResourceExhausted);
  EXPECT_THAT(three.status().message(), HasSubstr("9 words, and the module keeps 11"));
  ASSERT_TRUE(read({4}).ok());
  ASSERT_TRUE(read({4}).ok());
  EXPECT_EQ(read({4}).status().code(), StatusCode::kResourceExhausted);
  EXPECT_EQ(session_->textLength(), kCapacity);
}

TEST_F(TextBucketsTest, ChunksHaveToBecomeSmaller) {
  EXPECT_THAT(load(meanOfText(), {}).status().message(), HasSubstr("become smaller"));
  EXPECT_THAT(load(meanOfText(), {2, 2}).status().message(), HasSubstr("become smaller"));
  EXPECT_THAT(load(meanOfText(), {1, 2}).status().message(), HasSubstr("become smaller"));
  EXPECT_THAT(load(meanOfText(), {12, 1}).status().message(), HasSubstr("a text has 11 words"));
  Chunks many;
  for (int64_t words = 80; words > 0; --words) many.push_back(words);
  EXPECT_THAT(load(meanOfText(), many, 100).status().message(), HasSubstr("64 sizes at most"));
  EXPECT_THAT(load(meanOfText(), {3, 0}).status().message(), HasSubstr("one word at least"));
}

TEST_F(TextBucketsTest, AModelOfAFixedNumberOfWordsHasNoOther) {
  const auto loaded = load(meanOfText(3), {3, 2, 1});
  ASSERT_TRUE(loaded.ok()) << loaded.status().message();
  EXPECT_THAT((*loaded)->notes(), testing::Contains(HasSubstr("there are no runs of 2 words")));
  EXPECT_THAT((*loaded)->notes(), testing::Contains(HasSubstr("there are no runs of 1 word:")));
  CompileOptions compile;
  compile.partition = Partition::kCpu;
  const auto compiled = (*loaded)->compile(compile);
  ASSERT_TRUE(compiled.ok()) << compiled.status().message();
  const auto module = driver::LoadedModule::fromMemory(compiled->elf);
  ASSERT_TRUE(module.ok());
  EXPECT_THAT((*module)->info().buckets, IsEmpty());
}

/// The same with weights: a layer in front of attention and two behind it, in integers.
class IntegerBucketsTest : public TemporaryDirectoryTest {
 protected:
  static constexpr int64_t kWords = 12, kWidth = 20;

  ModelBuilder makeModel() const {
    ModelBuilder model;
    model.input("inputs_embeds", {1, -1, kWidth});
    model.input("past", {1, -2, kWidth});
    model.floats("zero", {1}, 0);
    addWeights(model, "first", kWidth, kWidth);
    addWeights(model, "second", kWidth, 30);
    addWeights(model, "third", 30, 7);
    model.node("MatMul", {"inputs_embeds", "first"}, {"rows"});
    model.node("Concat", {"past", "rows"}, {"present"});
    ModelBuilder::attribute(*model.graph().mutable_node(1), "axis", int64_t{1});
    model.node("Transpose", {"present"}, {"turned"});
    ModelBuilder::attribute(*model.graph().mutable_node(2), "perm", std::vector<int64_t>{0, 2, 1});
    model.node("Mul", {"inputs_embeds", "zero"}, {"query"});
    model.node("MatMul", {"query", "turned"}, {"scores"});
    model.node("Softmax", {"scores"}, {"weights"});
    ModelBuilder::attribute(*model.graph().mutable_node(5), "axis", int64_t{-1});
    model.node("MatMul", {"weights", "present"}, {"mean"});
    model.node("MatMul", {"mean", "second"}, {"hidden"});
    model.node("Sigmoid", {"hidden"}, {"curve"});
    model.node("Mul", {"hidden", "curve"}, {"silu"});
    model.node("MatMul", {"silu", "third"}, {"result"});
    model.output("result");
    model.output("present");
    return model;
  }

  static void addWeights(ModelBuilder& model, const char* name, int64_t rows, int64_t columns) {
    onnx::TensorProto& tensor = model.floats(name, {rows, columns});
    for (int i = 0; i < tensor.float_data_size(); ++i) {
      tensor.set_float_data(i, static_cast<float>((i * 37 + i / 5 * 11) % 61 - 30) / 60);
    }
  }

  static Tensor words(int64_t first, int64_t count) {
    Tensor tensor = Tensor::zeros(DType::kF32, {1, count, kWidth});
    for (int64_t i = 0; i < count * kWidth; ++i) {
      const int64_t number = first * kWidth + i;
      tensor.as<float>()[static_cast<size_t>(i)] =
          static_cast<float>((number * 29 + number / 7 * 13) % 41 - 20) / 10;
    }
    return tensor;
  }

  std::unique_ptr<driver::Session> open(const Chunks& chunks) {
    makeModel().write(directory_ / "model.onnx");
    const auto loaded =
        Model::loadChunks(directory_ / "model.onnx", {}, {}, false, kWords, chunks, false);
    EXPECT_TRUE(loaded.ok()) << loaded.status().message();
    CompileOptions options;
    options.partition = Partition::kCpuQuantized;
    for (int64_t i = 0; i < kWords; ++i) {
      options.quantize.samples.push_back({{"inputs_embeds", words(i, 1)}});
    }
    const auto compiled = (*loaded)->compile(options);
    EXPECT_TRUE(compiled.ok()) << compiled.status().message();
    for (const std::string& warning : compiled->report.warnings) {
      EXPECT_THAT(warning, testing::Not(HasSubstr("every run takes")));
    }
    const auto module = driver::LoadedModule::fromMemory(compiled->elf);
    EXPECT_TRUE(module.ok()) << module.status().message();
    EXPECT_EQ((*module)->info().buckets.size(), chunks.size() - 1);
    return *driver::Session::create(*module, static_cast<driver::MemoryDevice*>(nullptr), {});
  }

  /// The results behind each word of the whole text, read `count` words at a time.
  static std::vector<float> readAll(driver::Session& session, int64_t count) {
    EXPECT_TRUE(session.clearState().ok());
    std::vector<float> all;
    for (int64_t at = 0; at < kWords; at += count) {
      const int64_t some = std::min(count, kWords - at);
      const auto ran = session.run({{"inputs_embeds", words(at, some)}});
      EXPECT_TRUE(ran.ok()) << ran.status().message();
      const auto rows = ran->outputs.at("result").as<float>();
      all.insert(all.end(), rows.begin(), rows.begin() + some * 7);
    }
    return all;
  }
};

TEST_F(IntegerBucketsTest, AllReadTheSameIntegers) {
  const auto single = open({1});
  const std::vector<float> expected = readAll(*single, 1);
  EXPECT_NE(expected[0], expected[7]);
  const auto several = open({8, 3, 1});
  for (const int64_t count : {1, 2, 3, 5, 8}) {
    EXPECT_THAT(readAll(*several, count), Pointwise(testing::FloatNear(1e-5F), expected)) << count;
  }
}

}  // namespace
}  // namespace vta::compiler
