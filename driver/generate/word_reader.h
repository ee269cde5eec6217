// WordReader: words of a text through a module, by runs of as many as it takes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

#include "base/status.h"
#include "base/tensor.h"
#include "driver/runtime/session.h"
#include "isa/registers/counters.h"
#include "module/module_info.h"

namespace vta::driver {

/// Runs a module once, as Session::run does.
using RunWords = std::function<Result<RunResult>(const TensorMap& inputs)>;

/// Forgets what was read behind so many words, as Session::shortenText does.
using ShortenText = std::function<Status(int64_t length)>;

/// What a model thinks of the words that may follow those of a run.
class WordScores {
 public:
  WordScores() = default;
  /// `scores` has rows of `row_size` elements, of which the first `known` count: one for each of
  /// the `words`, or one for the last of them. Rows behind these mean nothing.
  WordScores(Tensor scores, size_t words, size_t row_size, size_t known)
      : scores_(std::move(scores)), words_(words), row_size_(row_size), known_(known) {}

  /// The scores of all words behind number `word` of those that are scored.
  std::span<const float> behind(size_t word) const {
    return scores_.as<float>().subspan(word * row_size_, known_);
  }
  /// How many words of the run are scored.
  size_t words() const { return words_; }

 private:
  Tensor scores_;
  size_t words_ = 0;
  size_t row_size_ = 0;
  size_t known_ = 0;
};

/// The module outlives it.
class WordReader {
 public:
  WordReader(const ModuleInfo& info, RunWords run) : info_(info), run_(std::move(run)) {}

  /// Errors: a module that keeps no text, with the option that helps; one whose only input is not
  /// words, or whose first output is not the scores of all words behind each of them; a tokenizer
  /// with more `tokens` than there are scores.
  Status checkText(int64_t tokens) const;

  /// Words that one run reads at most.
  int64_t mostWords() const;
  /// Of these, how many it scores: all, or the last one alone.
  int64_t mostScored() const;
  /// How many words may follow.
  int64_t scoreCount() const;

  /// Reads 1 to mostWords() words. The first `known` scores of each row count. Errors: those of the
  /// run.
  Result<WordScores> read(std::span<const int64_t> words, size_t known,
                          LaunchCounters& counters) const;

 private:
  Status checkPorts() const;

  const ModuleInfo& info_;
  RunWords run_;
};

}  // namespace vta::driver
