#include "driver/generate/generate.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "base/clock.h"
#include "driver/generate/text_stream.h"
#include "module/analysis/text_rows.h"

namespace vta::driver {
namespace {

/// Minus the logarithm of the probability of `token`.
double surpriseOf(std::span<const float> scores, int64_t token) {
  const double highest = *std::ranges::max_element(scores);
  double sum = 0;
  for (const float score : scores) sum += std::exp(static_cast<double>(score) - highest);
  return highest + std::log(sum) - static_cast<double>(scores[static_cast<size_t>(token)]);
}

}  // namespace

std::string_view textEndName(TextEnd end) {
  static constexpr std::array<std::string_view, 4> kNames = {"end", "stop", "length", "capacity"};
  return kNames[static_cast<size_t>(end)];
}

Status TextGenerator::check() const {
  if (!info_.context.isKept()) {
    return invalidArgument(
        "the module keeps no text: compile the model with --context-length=WORDS");
  }
  VTA_RETURN_IF_ERROR(reader_.check());
  if (tokenizer_.size() > reader_.scoreCount()) {
    return invalidArgument(fmt::format(
        "the tokenizer has {} tokens and the model scores {}: they are not of one model",
        tokenizer_.size(), reader_.scoreCount()));
  }
  return {};
}

Result<TextGenerator> TextGenerator::create(const ModuleInfo& info, const Tokenizer& tokenizer,
                                            RunWords run) {
  TextGenerator generator(info, tokenizer, std::move(run));
  VTA_RETURN_IF_ERROR(generator.check());
  return generator;
}

Status TextGenerator::checkTokens(std::span<const int64_t> tokens) const {
  const int64_t known = info_.inputs[0].index_extent;
  for (const int64_t token : tokens) {
    if (token >= 0 && (known == 0 || token < known)) continue;
    return invalidArgument(fmt::format("token {} is not one of the model's, which are from 0 to {}",
                                       token, known - 1));
  }
  return {};
}

/// The scores of the last run.
Result<WordScores> TextGenerator::readPrompt(Generation& generation) {
  WordScores scores;
  const std::span<const int64_t> prompt = generation.prompt;
  const auto most = static_cast<size_t>(reader_.mostWords());
  for (size_t begin = 0; begin < prompt.size(); begin += most) {
    const auto words = prompt.subspan(begin, std::min(most, prompt.size() - begin));
    VTA_ASSIGN_OR_RETURN(scores, reader_.read(words, knownScores(), generation.prompt_counters));
    ++generation.prompt_runs;
  }
  generation.runs = generation.prompt_runs;
  return scores;
}

Status TextGenerator::extend(const GenerateOptions& options, int64_t room, WordScores scores,
                             const TextSink& sink, Generation& generation) {
  Sampler sampler(options.sampling);
  TextStream stream(options.stops);
  const auto show = [&](const std::string& piece) {
    generation.text += piece;
    if (sink && !piece.empty()) sink(piece);
  };
  while (true) {
    if (std::ssize(generation.tokens) >= options.max_tokens) {
      generation.end = TextEnd::kLength;
      break;
    }
    VTA_ASSIGN_OR_RETURN(const int64_t token, sampler.next(scores.behindLast()));
    if (tokenizer_.ends().contains(token)) {
      generation.end = TextEnd::kEndToken;
      break;
    }
    generation.tokens.push_back(token);
    show(stream.add(tokenizer_.decode(token, false)));
    if (stream.isStopped()) {
      generation.end = TextEnd::kStop;
      break;
    }
    if (std::ssize(generation.tokens) >= options.max_tokens) continue;
    if (room-- <= 0) {
      generation.end = TextEnd::kCapacity;
      break;
    }
    VTA_RETURN_IF_ERROR(checkTokens({&token, 1}));
    VTA_ASSIGN_OR_RETURN(scores,
                         reader_.read({&token, 1}, knownScores(), generation.generated_counters));
    ++generation.runs;
  }
  show(stream.finish());
  return {};
}

Result<Generation> TextGenerator::generate(std::string_view prompt, const GenerateOptions& options,
                                           const TextSink& sink, int64_t length) {
  VTA_RETURN_IF_ERROR(checkSampling(options.sampling));
  Generation generation;
  VTA_ASSIGN_OR_RETURN(generation.prompt, tokenizer_.encode(prompt));
  if (generation.prompt.empty()) {
    return invalidArgument("the prompt has no tokens; give at least one word");
  }
  VTA_RETURN_IF_ERROR(checkTokens(generation.prompt));
  const int64_t capacity = textCapacity(info_);
  const int64_t room = capacity - length - std::ssize(generation.prompt);
  if (room < 0) {
    return Status(StatusCode::kResourceExhausted,
                  fmt::format("the prompt has {} tokens, and the module has room for {}; compile "
                              "it with a larger --context-length",
                              generation.prompt.size(), capacity - length));
  }
  const Clock::time_point start = Clock::now();
  VTA_ASSIGN_OR_RETURN(WordScores scores, readPrompt(generation));
  generation.first_token_seconds = secondsSince(start);
  VTA_RETURN_IF_ERROR(extend(options, room, std::move(scores), sink, generation));
  generation.seconds = secondsSince(start);
  return generation;
}

Result<double> TextGenerator::meanSurprise(std::span<const int64_t> tokens) {
  const int64_t longest = textCapacity(info_) + 1;
  if (tokens.size() < 2 || std::ssize(tokens) > longest) {
    return invalidArgument(
        fmt::format("a text of {} tokens; the module takes from 2 to {}", tokens.size(), longest));
  }
  VTA_RETURN_IF_ERROR(checkTokens(tokens));
  for (const int64_t token : tokens.subspan(1)) {
    if (token < tokenizer_.size()) continue;
    return invalidArgument(fmt::format("token {} is not one of the tokenizer's", token));
  }
  LaunchCounters unused;
  double sum = 0;
  const auto most = static_cast<size_t>(reader_.mostWords());
  for (size_t begin = 0; begin + 1 < tokens.size(); begin += most) {
    const size_t count = std::min(most, tokens.size() - 1 - begin);
    VTA_ASSIGN_OR_RETURN(const WordScores scores,
                         reader_.read(tokens.subspan(begin, count), knownScores(), unused));
    for (size_t i = 0; i < count; ++i) sum += surpriseOf(scores.behind(i), tokens[begin + i + 1]);
  }
  return sum / static_cast<double>(tokens.size() - 1);
}

}  // namespace vta::driver
