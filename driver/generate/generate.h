// Text from a language model: a prompt is read, and token after token follows.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "driver/generate/sampler.h"
#include "driver/generate/tokenizer.h"
#include "driver/generate/word_reader.h"
#include "isa/registers/counters.h"
#include "module/module_info.h"

namespace vta::driver {

struct GenerateOptions {
  SamplingOptions sampling{};
  int64_t max_tokens = 256;          // behind the prompt
  std::vector<std::string> stops{};  // texts that end the text, and are not part of it
  /// Tokens that are guessed and checked in the run of the one in front of them; 0: none. The text
  /// is the same, with fewer runs.
  int64_t speculate = 0;
  /// Guesses up to `most` tokens behind `text`, and adds what its launches took to `counters`, as
  /// DraftModel::draft does; empty: from the text itself.
  std::function<Result<std::vector<int64_t>>(std::span<const int64_t> text, size_t most,
                                             LaunchCounters& counters)>
      draft{};
};

/// Why a text ended.
enum class TextEnd : uint8_t {
  kEndToken,  // the model ended it
  kStop,      // one of GenerateOptions::stops
  kLength,    // max_tokens
  kCapacity,  // the module keeps no longer text
};
std::string_view textEndName(TextEnd end);  // "end", "stop", "length", "capacity"

struct Generation {
  std::string text;  // behind the prompt
  std::vector<int64_t> prompt;
  std::vector<int64_t> tokens;  // behind the prompt, without one that ends the text
  TextEnd end = TextEnd::kLength;
  double seconds = 0;                 // all runs
  double first_token_seconds = 0;     // of that, until the first token was known
  LaunchCounters prompt_counters;     // of launches until then
  LaunchCounters generated_counters;  // of those behind it
  int64_t prompt_runs = 0;            // until the first token was known
  int64_t runs = 0;                   // all
  int64_t drafted = 0;                // tokens that were guessed
  int64_t accepted = 0;               // of these, right ones
};

/// Gets pieces of the text as they come, in whole characters.
using TextSink = std::function<void(std::string_view piece)>;

/// A module that reads tokens and scores all that may follow. What it is given outlives it.
class TextGenerator {
 public:
  /// Errors: those of WordReader::checkText.
  static Result<TextGenerator> create(const ModuleInfo& info, const Tokenizer& tokenizer,
                                      RunWords run, ShortenText shorten = {});

  /// Goes on from what the session has read. `length` is how much that is: a new text begins at 0.
  /// Errors: a wrong option, a prompt that is no UTF-8 or longer than there is room for, more
  /// tokens to guess than a run has room for, what the runs report.
  Result<Generation> generate(std::string_view prompt, const GenerateOptions& options,
                              const TextSink& sink, int64_t length = 0);

  /// The model's surprise at tokens[1..], each behind those in front of it: the mean of minus the
  /// logarithm of their probability. Errors: fewer than two tokens, more than there is room for.
  Result<double> meanSurprise(std::span<const int64_t> tokens);

 private:
  TextGenerator(const ModuleInfo& info, const Tokenizer& tokenizer, RunWords run,
                ShortenText shorten)
      : info_(info),
        tokenizer_(tokenizer),
        reader_(info, std::move(run)),
        shorten_(std::move(shorten)) {}
  Status checkTokens(std::span<const int64_t> tokens) const;
  size_t knownScores() const { return static_cast<size_t>(tokenizer_.size()); }
  Result<WordScores> readPrompt(Generation& generation);
  Status checkDrafts(const GenerateOptions& options) const;
  Result<std::vector<int64_t>> draft(const GenerateOptions& options, int64_t room,
                                     Generation& generation) const;
  Status extend(const GenerateOptions& options, int64_t length, WordScores scores,
                const TextSink& sink, Generation& generation);

  const ModuleInfo& info_;
  const Tokenizer& tokenizer_;
  WordReader reader_;
  ShortenText shorten_;
};

}  // namespace vta::driver
