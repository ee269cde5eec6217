#include "driver/generate/generate.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <utility>

#include "base/clock.h"
#include "driver/generate/text_stream.h"

namespace vta::driver {
namespace {

/// The tensor of one token.
Tensor wordTensor(const TensorInfo& info, int64_t token) {
  Tensor tensor = Tensor::zeros(info.dtype, info.shape);
  if (info.dtype == DType::kI64) {
    tensor.as<int64_t>()[0] = token;
  } else {
    tensor.as<int32_t>()[0] = static_cast<int32_t>(token);
  }
  return tensor;
}

int64_t scoreCount(const TensorInfo& scores) {
  return scores.shape.empty() ? 0 : scores.shape.back();
}

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
  const TensorInfo* words = info_.inputs.empty() ? nullptr : &info_.tensors[info_.inputs[0].tensor];
  const bool takes_words = info_.inputs.size() == 1 &&
                           (words->dtype == DType::kI64 || words->dtype == DType::kI32) &&
                           words->size_bytes == dtypeBytes(words->dtype);
  if (!takes_words) {
    return invalidArgument(fmt::format(
        "a module that makes text has one input, the number of a token; this one has {}{}",
        info_.inputs.size(),
        words == nullptr ? "" : " of " + describe(words->dtype, words->shape)));
  }
  const TensorInfo* scores =
      info_.outputs.empty() ? nullptr : &info_.tensors[info_.outputs[0].tensor];
  const bool gives_scores =
      scores != nullptr && scores->dtype == DType::kF32 && scoreCount(*scores) > 1 &&
      scores->size_bytes == static_cast<uint64_t>(scoreCount(*scores)) * sizeof(float);
  if (!gives_scores) {
    return invalidArgument(
        "a module that makes text has the scores of all tokens as its first output, in float32");
  }
  if (tokenizer_.size() > scoreCount(*scores)) {
    return invalidArgument(fmt::format(
        "the tokenizer has {} tokens and the model scores {}: they are not of one model",
        tokenizer_.size(), scoreCount(*scores)));
  }
  return {};
}

Result<TextGenerator> TextGenerator::create(const ModuleInfo& info, const Tokenizer& tokenizer,
                                            RunWord run) {
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

/// Reads one token; the scores of those that may follow and have a text.
Result<std::vector<float>> TextGenerator::score(int64_t token, Generation& generation,
                                                bool is_prompt) {
  const PortInfo& input = info_.inputs[0];
  auto ran = run_({{input.name, wordTensor(info_.tensors[input.tensor], token)}});
  if (!ran.ok()) return ran.status();
  LaunchCounters& counters = is_prompt ? generation.prompt_counters : generation.generated_counters;
  for (const StepProfile& launch : ran->profile) counters += launch.counters;
  ++generation.runs;
  const auto scores = std::as_const(ran->outputs.at(info_.outputs[0].name)).as<float>();
  const auto count = static_cast<size_t>(tokenizer_.size());
  return std::vector<float>(scores.begin(), scores.begin() + static_cast<int64_t>(count));
}

Status TextGenerator::extend(const GenerateOptions& options, int64_t room,
                             std::vector<float> scores, const TextSink& sink,
                             Generation& generation) {
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
    VTA_ASSIGN_OR_RETURN(const int64_t token, sampler.next(scores));
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
    VTA_ASSIGN_OR_RETURN(scores, score(token, generation, false));
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
  const int64_t room = info_.context.capacity - length - std::ssize(generation.prompt);
  if (room < 0) {
    return Status(StatusCode::kResourceExhausted,
                  fmt::format("the prompt has {} tokens, and the module has room for {}; compile "
                              "it with a larger --context-length",
                              generation.prompt.size(), info_.context.capacity - length));
  }
  const Clock::time_point start = Clock::now();
  std::vector<float> scores;
  for (const int64_t token : generation.prompt) {
    VTA_ASSIGN_OR_RETURN(scores, score(token, generation, true));
  }
  generation.first_token_seconds = secondsSince(start);
  VTA_RETURN_IF_ERROR(extend(options, room, std::move(scores), sink, generation));
  generation.seconds = secondsSince(start);
  return generation;
}

Result<double> TextGenerator::meanSurprise(std::span<const int64_t> tokens) {
  if (tokens.size() < 2 || std::ssize(tokens) > info_.context.capacity + 1) {
    return invalidArgument(fmt::format("a text of {} tokens; the module takes from 2 to {}",
                                       tokens.size(), info_.context.capacity + 1));
  }
  VTA_RETURN_IF_ERROR(checkTokens(tokens));
  Generation unused;
  double sum = 0;
  for (size_t i = 0; i + 1 < tokens.size(); ++i) {
    if (tokens[i + 1] >= tokenizer_.size()) {
      return invalidArgument(fmt::format("token {} is not one of the tokenizer's", tokens[i + 1]));
    }
    VTA_ASSIGN_OR_RETURN(const std::vector<float> scores, score(tokens[i], unused, true));
    sum += surpriseOf(scores, tokens[i + 1]);
  }
  return sum / static_cast<double>(tokens.size() - 1);
}

}  // namespace vta::driver
