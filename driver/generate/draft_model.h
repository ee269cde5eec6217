// DraftModel: a small model that guesses what a large one will say.
//
// Source: Leviathan et al., "Fast Inference from Transformers via Speculative Decoding", arXiv
// 2211.17192. Here a guess is right where the large model would have chosen the token itself, so
// that texts do not change.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/status.h"
#include "driver/generate/tokenizer.h"
#include "driver/generate/word_reader.h"
#include "isa/registers/counters.h"
#include "module/module_info.h"

namespace vta::driver {

/// A module that reads a text beside another one. What it is given outlives it.
class DraftModel {
 public:
  /// A session that has read nothing yet. Errors: those of WordReader::checkText.
  static Result<DraftModel> create(const ModuleInfo& info, const Tokenizer& tokenizer, RunWords run,
                                   ShortenText shorten);

  /// Up to `most` tokens that may follow `text`, the likeliest each; fewer where the module has no
  /// room for them. What it has read and is not in `text` is forgotten. `counters` gets what its
  /// launches took. Errors: those of the runs.
  Result<std::vector<int64_t>> draft(std::span<const int64_t> text, size_t most,
                                     LaunchCounters& counters);

 private:
  DraftModel(const ModuleInfo& info, RunWords run, ShortenText shorten, int64_t tokens)
      : info_(info),
        reader_(info, std::move(run)),
        shorten_(std::move(shorten)),
        known_(static_cast<size_t>(tokens)) {}
  Status keepOnly(size_t words);
  Result<int64_t> read(std::span<const int64_t> words, LaunchCounters& counters);

  const ModuleInfo& info_;
  WordReader reader_;
  ShortenText shorten_;
  size_t known_;  // tokens
  std::vector<int64_t> read_;
};

}  // namespace vta::driver
