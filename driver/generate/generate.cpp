#include "driver/generate/generate.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <utility>

#include "base/clock.h"
#include "driver/generate/draft.h"
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

/// Why the text ends with its newest token, if it does.
std::optional<TextEnd> endBehind(const Generation& generation, const GenerateOptions& options,
                                 const TextStream& stream, int64_t room) {
  if (stream.isStopped()) return TextEnd::kStop;
  if (std::ssize(generation.tokens) >= options.max_tokens) return TextEnd::kLength;
  if (room <= 0) return TextEnd::kCapacity;
  return std::nullopt;
}

}  // namespace

std::string_view textEndName(TextEnd end) {
  static constexpr std::array<std::string_view, 4> kNames = {"end", "stop", "length", "capacity"};
  return kNames[static_cast<size_t>(end)];
}

Result<TextGenerator> TextGenerator::create(const ModuleInfo& info, const Tokenizer& tokenizer,
                                            RunWords run, ShortenText shorten) {
  TextGenerator generator(info, tokenizer, std::move(run), std::move(shorten));
  VTA_RETURN_IF_ERROR(generator.reader_.checkText(tokenizer.size()));
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

Status TextGenerator::checkDrafts(const GenerateOptions& options) const {
  const int64_t most = options.speculate;
  if (most == 0 && options.draft) {
    return invalidArgument("a model guesses tokens, and none are to be guessed");
  }
  if (most == 0) return {};
  if (most < 0) return invalidArgument("a negative number of tokens cannot be guessed");
  if (!shorten_) return internalError("tokens are guessed for runs that cannot be taken back");
  if (reader_.mostScored() < reader_.mostWords()) {
    return invalidArgument(
        "the module scores the last token of a run alone, so guesses cannot be checked; compile "
        "the model without --last-scores");
  }
  if (most < reader_.mostWords()) return {};
  return invalidArgument(fmt::format(
      "a run of the module reads {} tokens, so {} can be guessed beside one, not {}; compile the "
      "model with --prompt-chunk={}",
      reader_.mostWords(), reader_.mostWords() - 1, most, most + 1));
}

/// Tokens that may follow the text, no more than are of use.
Result<std::vector<int64_t>> TextGenerator::draft(const GenerateOptions& options, int64_t room,
                                                  Generation& generation) const {
  const int64_t wanted = options.max_tokens - std::ssize(generation.tokens) - 1;
  const int64_t most = std::min({options.speculate, room, wanted});
  if (most <= 0) return std::vector<int64_t>();
  std::vector<int64_t> text = generation.prompt;
  text.insert(text.end(), generation.tokens.begin(), generation.tokens.end());
  const auto count = static_cast<size_t>(most);
  if (!options.draft) return draftFromText(text, count);
  VTA_ASSIGN_OR_RETURN(std::vector<int64_t> guesses,
                       options.draft(text, count, generation.generated_counters));
  VTA_RETURN_IF_ERROR(checkTokens(guesses));
  return guesses;
}

/// `length` words have been read, the last ones with `scores`.
Status TextGenerator::extend(const GenerateOptions& options, int64_t length, WordScores scores,
                             const TextSink& sink, Generation& generation) {
  if (options.max_tokens <= 0) return {};
  Sampler sampler(options.sampling);
  TextStream stream(options.stops);
  const auto show = [&](const std::string& piece) {
    generation.text += piece;
    if (sink && !piece.empty()) sink(piece);
  };
  // The last run's words, of which those behind number `at` are guesses.
  std::vector<int64_t> words;
  size_t at = scores.words() - 1;
  while (true) {
    VTA_ASSIGN_OR_RETURN(const int64_t token, sampler.next(scores.behind(at)));
    if (tokenizer_.ends().contains(token)) {
      generation.end = TextEnd::kEndToken;
      break;
    }
    generation.tokens.push_back(token);
    show(stream.add(tokenizer_.decode(token, false)));
    const int64_t room = textCapacity(info_) - length;
    if (const auto end = endBehind(generation, options, stream, room)) {
      generation.end = *end;
      break;
    }
    ++length;
    if (at + 1 < words.size() && words[at + 1] == token) {
      ++at;
      ++generation.accepted;
      continue;
    }
    VTA_RETURN_IF_ERROR(checkTokens({&token, 1}));
    if (at + 1 < words.size()) VTA_RETURN_IF_ERROR(shorten_(length - 1));
    VTA_ASSIGN_OR_RETURN(words, draft(options, room - 1, generation));
    generation.drafted += std::ssize(words);
    words.insert(words.begin(), token);
    VTA_ASSIGN_OR_RETURN(scores, reader_.read(words, knownScores(), generation.generated_counters));
    ++generation.runs;
    at = 0;
  }
  if (at + 1 < words.size()) VTA_RETURN_IF_ERROR(shorten_(length));
  show(stream.finish());
  return {};
}

Result<Generation> TextGenerator::generate(std::string_view prompt, const GenerateOptions& options,
                                           const TextSink& sink, int64_t length) {
  VTA_RETURN_IF_ERROR(checkSampling(options.sampling));
  VTA_RETURN_IF_ERROR(checkDrafts(options));
  Generation generation;
  VTA_ASSIGN_OR_RETURN(generation.prompt, tokenizer_.encode(prompt));
  if (generation.prompt.empty()) {
    return invalidArgument("the prompt has no tokens; give at least one word");
  }
  VTA_RETURN_IF_ERROR(checkTokens(generation.prompt));
  const int64_t capacity = textCapacity(info_);
  const int64_t read = length + std::ssize(generation.prompt);
  if (read > capacity) {
    return Status(StatusCode::kResourceExhausted,
                  fmt::format("the prompt has {} tokens, and the module has room for {}; compile "
                              "it with a larger --context-length",
                              generation.prompt.size(), capacity - length));
  }
  const Clock::time_point start = Clock::now();
  VTA_ASSIGN_OR_RETURN(WordScores scores, readPrompt(generation));
  generation.first_token_seconds = secondsSince(start);
  VTA_RETURN_IF_ERROR(extend(options, read, std::move(scores), sink, generation));
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
  const auto most = static_cast<size_t>(reader_.mostScored());
  for (size_t begin = 0; begin + 1 < tokens.size(); begin += most) {
    const size_t count = std::min(most, tokens.size() - 1 - begin);
    VTA_ASSIGN_OR_RETURN(const WordScores scores,
                         reader_.read(tokens.subspan(begin, count), knownScores(), unused));
    for (size_t i = 0; i < count; ++i) sum += surpriseOf(scores.behind(i), tokens[begin + i + 1]);
  }
  return sum / static_cast<double>(tokens.size() - 1);
}

}  // namespace vta::driver
