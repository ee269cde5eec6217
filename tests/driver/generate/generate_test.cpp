// Texts of a model that is a table: it scores the token behind the one that it reads.
#include "driver/generate/generate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "module/executor_kinds.h"
#include "tests/driver/generate/small_tokenizer.h"

namespace vta::driver {
namespace {

using test::kA;
using test::kB;
using test::kC;
using test::kSpace;
using test::kTokens;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr int64_t kCapacity = 12;

class GenerateTest : public testing::Test {
 protected:
  GenerateTest() : tokenizer_(*parseBinaryTokenizer(test::smallTokenizerFile())) {
    addExecutor(info_, cpuExecutor(), hostMemory());
    info_.tensors = {{"input_ids", DType::kI64, {1, 1}, 0, 0, 8},
                     {"logits", DType::kF32, {1, 1, kTokens + 2}, 0, 64, (kTokens + 2) * 4}};
    info_.inputs = {{"input_ids", 0}};
    info_.inputs[0].index_extent = kTokens;
    info_.outputs = {{"logits", 1}};
    info_.context.capacity = kCapacity;
  }

  Result<RunResult> run(const TensorMap& inputs) {
    const auto tokens = inputs.at("input_ids").as<int64_t>();
    RunResult result;
    Tensor scores = Tensor::zeros(DType::kF32, info_.tensors[1].shape);
    for (size_t i = 0; i < tokens.size(); ++i) {
      read_.push_back(tokens[i]);
      if (static_cast<int64_t>(read_.size()) == fails_at_)
        return Status(StatusCode::kDeviceFault, "broken");
      if (scores_last_ && i + 1 < tokens.size()) continue;
      const auto row = scores.as<float>().subspan(scores_last_ ? 0 : i * (kTokens + 2));
      // What the tokenizer has no text for is never chosen.
      row[kTokens] = 100;
      const auto next = next_.find(tokens[i]);
      if (next != next_.end()) row[static_cast<size_t>(next->second)] = 10;
    }
    words_of_runs_.push_back(std::ssize(tokens));
    result.outputs["logits"] = std::move(scores);
    result.profile.resize(1);
    result.profile[0].counters.cycles = 5;
    return result;
  }

  Status shorten(int64_t length) {
    if (length > std::ssize(read_)) return internalError("a text becomes longer");
    read_.resize(static_cast<size_t>(length));
    return {};
  }

  /// Runs read up to `most` words.
  void useChunks(int64_t most) {
    info_.tensors[0] = {"input_ids", DType::kI64, {1, most}, 0, 0, static_cast<uint64_t>(8 * most)};
    info_.tensors[1].shape = {1, most, kTokens + 2};
    info_.tensors[1].size_bytes = static_cast<uint64_t>(most * (kTokens + 2) * 4);
    info_.tensors.push_back({"rows", DType::kF32, {most, 1}, 0, 0, 8});
    info_.context.capacity = kCapacity + most - 1;
    info_.context.caches = {{2, 2, 0}};
  }

  TextGenerator generator() {
    auto made = TextGenerator::create(
        info_, *tokenizer_, [this](const TensorMap& inputs) { return run(inputs); },
        [this](int64_t length) { return shorten(length); });
    EXPECT_TRUE(made.ok()) << made.status().message();
    return *std::move(made);
  }

  Result<Generation> generate(const std::string& prompt, const GenerateOptions& options = {}) {
    return generator().generate(prompt, options,
                                [this](std::string_view piece) { shown_ += piece; });
  }

  std::string refusal() {
    const auto made = TextGenerator::create(info_, *tokenizer_, {});
    EXPECT_FALSE(made.ok());
    return made.status().message();
  }

  std::unique_ptr<Tokenizer> tokenizer_;
  ModuleInfo info_;
  std::map<int64_t, int64_t> next_ = {{kA, kB}, {kB, kC}, {kC, 2}};
  std::vector<int64_t> read_;
  std::vector<int64_t> words_of_runs_;
  bool scores_last_ = false;
  int64_t fails_at_ = -1;
  std::string shown_;
};

TEST_F(GenerateTest, ReadsThePromptAndThenWhatItHasMade) {
  const auto text = generate("a");
  ASSERT_TRUE(text.ok()) << text.status().message();
  EXPECT_EQ(text->text, "bc");
  EXPECT_EQ(shown_, "bc");
  EXPECT_THAT(text->prompt, ElementsAre(1, kSpace, kA));
  EXPECT_THAT(text->tokens, ElementsAre(kB, kC));
  EXPECT_THAT(read_, ElementsAre(1, kSpace, kA, kB, kC));
  EXPECT_EQ(text->end, TextEnd::kEndToken);
  EXPECT_EQ(text->runs, 5);
  EXPECT_EQ(text->prompt_counters.cycles, 15U);
  EXPECT_EQ(text->generated_counters.cycles, 10U);
  EXPECT_LE(text->first_token_seconds, text->seconds);
}

TEST_F(GenerateTest, EndsAtTheMostTokensWithoutReadingTheLast) {
  next_[kC] = kA;
  const auto text = generate("a", {.max_tokens = 4});
  EXPECT_EQ(text->text, "bcab");
  EXPECT_EQ(text->end, TextEnd::kLength);
  EXPECT_EQ(text->runs, 6);
}

TEST_F(GenerateTest, EndsWhereTheModuleKeepsNoLongerText) {
  next_[kC] = kA;
  const auto text = generate("a");
  EXPECT_EQ(text->end, TextEnd::kCapacity);
  EXPECT_EQ(text->runs, kCapacity);
  EXPECT_EQ(std::ssize(text->tokens), kCapacity - 3 + 1) << "the last one need not be read";
  EXPECT_THAT(textEndName(text->end), "capacity");
}

TEST_F(GenerateTest, EndsInFrontOfAStop) {
  const auto text = generate("a", {.stops = {"c"}});
  EXPECT_EQ(text->text, "b");
  EXPECT_EQ(shown_, "b");
  EXPECT_EQ(text->end, TextEnd::kStop);
}

TEST_F(GenerateTest, PromptsAreReadInChunks) {
  const auto single = generate("a b");
  words_of_runs_.clear();
  read_.clear();
  useChunks(4);
  const auto text = generate("a b");  // five tokens
  ASSERT_TRUE(text.ok()) << text.status().message();
  EXPECT_EQ(text->text, single->text);
  EXPECT_THAT(words_of_runs_, ElementsAre(4, 1, 1));
  EXPECT_EQ(text->prompt_runs, 2);
  EXPECT_EQ(text->runs, 3);
  EXPECT_EQ(text->prompt_counters.cycles, 10U);
}

TEST_F(GenerateTest, ScoresOfTheLastWordAreEnough) {
  const auto single = generate("a b");
  const auto surprise = generator().meanSurprise(std::vector<int64_t>{kA, kB, kA});
  useChunks(4);
  scores_last_ = true;
  info_.tensors[1].shape = {1, 1, kTokens + 2};
  info_.tensors[1].size_bytes = (kTokens + 2) * 4;
  read_.clear();
  words_of_runs_.clear();
  const auto text = generate("a b");
  ASSERT_TRUE(text.ok()) << text.status().message();
  EXPECT_EQ(text->text, single->text);
  EXPECT_THAT(words_of_runs_, ElementsAre(4, 1, 1));
  // Each word is judged, so it is the last of a run.
  words_of_runs_.clear();
  EXPECT_EQ(*generator().meanSurprise(std::vector<int64_t>{kA, kB, kA}), *surprise);
  EXPECT_THAT(words_of_runs_, ElementsAre(1, 1));
  EXPECT_THAT(generate("a", {.speculate = 1}).status().message(),
              HasSubstr("without --last-scores"));
}

TEST_F(GenerateTest, ChunksEndAtTheSameCapacity) {
  next_[kC] = kA;
  const auto single = generate("a");
  read_.clear();
  useChunks(5);
  const auto text = generate("a");
  EXPECT_EQ(text->end, TextEnd::kCapacity);
  EXPECT_EQ(text->tokens, single->tokens);
  EXPECT_EQ(std::ssize(read_), kCapacity);
}

TEST_F(GenerateTest, GuessesMakeTheSameTextInFewerRuns) {
  next_[kC] = kA;
  const auto single = generate("a", {.max_tokens = 9});
  const std::vector<int64_t> expected = read_;
  for (const int64_t guesses : {1, 2, 3, 7}) {
    read_.clear();
    useChunks(8);
    const auto text = generate("a", {.max_tokens = 9, .speculate = guesses});
    ASSERT_TRUE(text.ok()) << text.status().message();
    EXPECT_EQ(text->tokens, single->tokens) << guesses;
    EXPECT_EQ(read_, expected) << "what was guessed wrongly is forgotten";
    EXPECT_LT(text->runs, single->runs);
    EXPECT_EQ(text->runs - text->prompt_runs + text->accepted, std::ssize(text->tokens) - 1);
    EXPECT_LE(text->accepted, text->drafted);
  }
}

TEST_F(GenerateTest, WrongGuessesAreForgotten) {
  next_ = {{kA, kB}, {kB, kC}, {kC, 2}};
  useChunks(4);
  // The prompt has "a" behind "b", but the model goes on with "c".
  const auto text = generate("ba", {.speculate = 3});
  ASSERT_TRUE(text.ok()) << text.status().message();
  EXPECT_EQ(text->text, "bc");
  EXPECT_EQ(text->end, TextEnd::kEndToken);
  EXPECT_GT(text->drafted, text->accepted);
  EXPECT_THAT(read_, ElementsAre(1, kSpace, kB, kA, kB, kC));
}

TEST_F(GenerateTest, GuessesEndWhereTheTextEnds) {
  next_[kC] = kA;
  const auto single = generate("a");
  const std::vector<int64_t> expected = read_;
  read_.clear();
  useChunks(8);
  const auto text = generate("a", {.speculate = 7});
  EXPECT_EQ(text->end, TextEnd::kCapacity);
  EXPECT_EQ(text->tokens, single->tokens);
  EXPECT_EQ(read_, expected);
  for (const int64_t most : {1, 2, 5}) {
    read_.clear();
    EXPECT_EQ(std::ssize(generate("a", {.max_tokens = most, .speculate = 7})->tokens), most);
    EXPECT_EQ(std::ssize(read_), 3 + most - 1);
  }
  read_.clear();
  EXPECT_EQ(generate("a", {.stops = {"ca"}, .speculate = 7})->text, "b");
}

TEST_F(GenerateTest, SampledTextsAreTheSameWithGuesses) {
  next_ = {{kA, kB}};  // behind others, all tokens are equally likely
  GenerateOptions options = {.sampling = {.temperature = 8, .top_k = 20}, .max_tokens = 9};
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    options.sampling.seed = seed;
    options.speculate = 0;
    read_.clear();
    const auto single = generate("a", options);
    const std::vector<int64_t> expected = read_;
    read_.clear();
    useChunks(4);
    options.speculate = 3;
    EXPECT_EQ(generate("a", options)->tokens, single->tokens) << seed;
    EXPECT_EQ(read_, expected);
  }
}

TEST_F(GenerateTest, GuessesOfAnotherModelMakeTheSameText) {
  next_[kC] = kA;
  const auto single = generate("a", {.max_tokens = 9});
  useChunks(4);
  GenerateOptions options = {.max_tokens = 9, .speculate = 3};
  std::vector<int64_t> text;
  options.draft = [&](std::span<const int64_t> read, size_t most, LaunchCounters& counters) {
    text.assign(read.begin(), read.end());
    counters.cycles += 1000;
    return Result<std::vector<int64_t>>(std::vector<int64_t>(most, kB));
  };
  read_.clear();
  const auto guessed = generate("a", options);
  ASSERT_TRUE(guessed.ok()) << guessed.status().message();
  EXPECT_EQ(guessed->tokens, single->tokens);
  EXPECT_GT(guessed->accepted, 0);
  EXPECT_LT(guessed->accepted, guessed->drafted);
  EXPECT_THAT(std::vector<int64_t>(text.begin(), text.begin() + 4), ElementsAre(1, kSpace, kA, kB));
  EXPECT_GE(guessed->generated_counters.cycles, 1000U) << "what guesses took counts";
}

TEST_F(GenerateTest, GuessesThatAreNoTokensAndFailuresAreTold) {
  useChunks(4);
  GenerateOptions options = {.speculate = 2};
  options.draft = [](std::span<const int64_t>, size_t, LaunchCounters&) {
    return Result<std::vector<int64_t>>(std::vector<int64_t>{kTokens});
  };
  EXPECT_THAT(generate("a", options).status().message(), HasSubstr("is not one of the model's"));
  options.draft = [](std::span<const int64_t>, size_t, LaunchCounters&) {
    return Result<std::vector<int64_t>>(internalError("no guess"));
  };
  EXPECT_THAT(generate("a", options).status().message(), HasSubstr("no guess"));
  options.speculate = 0;
  EXPECT_THAT(generate("a", options).status().message(), HasSubstr("none are to be guessed"));
}

TEST_F(GenerateTest, MoreGuessesThanARunHasRoomForAreRefused) {
  useChunks(4);
  const auto text = generate("a", {.speculate = 4});
  EXPECT_THAT(text.status().message(), HasSubstr("reads 4 tokens, so 3 can be guessed"));
  EXPECT_THAT(text.status().message(), HasSubstr("--prompt-chunk=5"));
  EXPECT_THAT(generate("a", {.speculate = -1}).status().message(), HasSubstr("negative"));
  auto fixed = TextGenerator::create(info_, *tokenizer_, {});
  EXPECT_THAT(fixed->generate("a", {.speculate = 1}, {}).status().message(),
              HasSubstr("cannot be taken back"));
}

TEST_F(GenerateTest, SampledTextsFollowTheSeed) {
  next_.clear();  // all tokens are equally likely
  const GenerateOptions options = {.sampling = {.temperature = 1, .seed = 3}, .max_tokens = 5};
  const auto first = generate("", options), second = generate("", options);
  EXPECT_EQ(first->tokens, second->tokens);
  EXPECT_NE(first->tokens,
            generate("", {.sampling = {.temperature = 1, .seed = 4}, .max_tokens = 5})->tokens);
}

TEST_F(GenerateTest, PromptsThatAreTooLongAreRefused) {
  const auto text = generate("b b b b b b b");
  EXPECT_EQ(text.status().code(), StatusCode::kResourceExhausted);
  EXPECT_THAT(text.status().message(), HasSubstr("15 tokens, and the module has room for 12"));
  EXPECT_TRUE(read_.empty());
  EXPECT_FALSE(generator().generate("a", {}, {}, kCapacity - 2).ok());
  EXPECT_TRUE(generator().generate("a", {}, {}, kCapacity - 3).ok());
}

TEST_F(GenerateTest, TokensThatTheModelDoesNotHaveAreRefused) {
  info_.inputs[0].index_extent = kB;
  EXPECT_THAT(generate("b").status().message(), HasSubstr("token 261"));
  EXPECT_THAT(generate("a").status().message(), HasSubstr("from 0 to 260"));
}

TEST_F(GenerateTest, ErrorsOfRunsAndOptionsComeBack) {
  EXPECT_THAT(generate("a", {.sampling = {.temperature = -1}}).status().message(),
              HasSubstr("temperature"));
  EXPECT_THAT(generate("\xFF").status().message(), HasSubstr("UTF-8"));
  fails_at_ = 2;
  EXPECT_THAT(generate("a").status().message(), "broken");
  read_.clear();
  fails_at_ = 4;
  EXPECT_THAT(generate("a").status().message(), "broken");
}

TEST_F(GenerateTest, ModulesThatMakeNoTextAreRefused) {
  const ModuleInfo good = info_;
  info_.context.capacity = 0;
  EXPECT_THAT(refusal(), HasSubstr("--context-length"));
  info_ = good;
  info_.tensors[0].dtype = DType::kF32;
  EXPECT_THAT(refusal(), HasSubstr("1x1 float32"));
  info_ = good;
  info_.inputs.clear();
  EXPECT_THAT(refusal(), HasSubstr("this one has 0"));
  info_ = good;
  info_.tensors[1].dtype = DType::kI8;
  EXPECT_THAT(refusal(), HasSubstr("scores of all tokens"));
  info_ = good;
  info_.outputs.clear();
  EXPECT_THAT(refusal(), HasSubstr("scores of all tokens"));
  info_ = good;
  info_.tensors[1] = {"logits", DType::kF32, {1, 1, 100}, 0, 64, 400};
  EXPECT_THAT(refusal(), HasSubstr("266 tokens and the model scores 100"));
}

TEST_F(GenerateTest, TheMeanSurpriseIsThatOfTheScores) {
  // One of 266 tokens has a score of 10, all others have 0.
  const double sum = std::exp(10.0) + kTokens - 1;
  const std::vector<int64_t> tokens = {kA, kB, kA};
  const auto surprise = generator().meanSurprise(tokens);
  ASSERT_TRUE(surprise.ok()) << surprise.status().message();
  EXPECT_NEAR(*surprise, std::log(sum) - 10.0 / 2, 1e-6);
  read_.clear();
  useChunks(2);
  EXPECT_NEAR(*generator().meanSurprise(tokens), *surprise, 1e-6);
  EXPECT_NEAR(*generator().meanSurprise(std::vector<int64_t>{kA, kB, kA, kB}),
              std::log(sum) - 20.0 / 3, 1e-6);
  EXPECT_THAT(generator().meanSurprise(std::vector<int64_t>{kA}).status().message(),
              HasSubstr("from 2 to 13"));
  EXPECT_THAT(generator().meanSurprise(std::vector<int64_t>(14, kA)).status().message(),
              HasSubstr("from 2 to 13"));
}

TEST_F(GenerateTest, InputsMayHave32Bits) {
  info_.tensors[0] = {"input_ids", DType::kI32, {1, 1}, 0, 0, 4};
  auto made = TextGenerator::create(info_, *tokenizer_, [this](const TensorMap& inputs) {
    Tensor wide = Tensor::zeros(DType::kI64, {1, 1});
    wide.as<int64_t>()[0] = inputs.at("input_ids").as<int32_t>()[0];
    return run({{"input_ids", wide}});
  });
  EXPECT_EQ(made->generate("a", {}, {})->text, "bc");
}

}  // namespace
}  // namespace vta::driver
