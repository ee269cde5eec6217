#include "driver/generate/word_reader.h"

#include <fmt/format.h>

#include <utility>

#include "module/analysis/text_rows.h"

namespace vta::driver {
namespace {

/// The input for `words`, which are fewer than a run takes or as many.
Tensor wordTensor(const TensorInfo& info, std::span<const int64_t> words) {
  std::vector<int64_t> shape = info.shape;
  if (shape.size() > 1) shape[1] = std::ssize(words);
  Tensor tensor = Tensor::zeros(info.dtype, shape);
  for (size_t i = 0; i < words.size(); ++i) {
    if (info.dtype == DType::kI64) {
      tensor.as<int64_t>()[i] = words[i];
    } else {
      tensor.as<int32_t>()[i] = static_cast<int32_t>(words[i]);
    }
  }
  return tensor;
}

}  // namespace

int64_t WordReader::mostWords() const { return mostWordsOfRun(info_); }

int64_t WordReader::mostScored() const {
  const auto row_bytes = static_cast<uint64_t>(scoreCount()) * sizeof(float);
  return info_.tensors[info_.outputs[0].tensor].size_bytes == row_bytes ? 1 : mostWords();
}

int64_t WordReader::scoreCount() const {
  const TensorInfo& scores = info_.tensors[info_.outputs[0].tensor];
  return scores.shape.empty() ? 0 : scores.shape.back();
}

Status WordReader::checkPorts() const {
  const TensorInfo* words = info_.inputs.empty() ? nullptr : &info_.tensors[info_.inputs[0].tensor];
  const auto most = static_cast<uint64_t>(mostWords());
  const bool takes_words = info_.inputs.size() == 1 &&
                           (words->dtype == DType::kI64 || words->dtype == DType::kI32) &&
                           words->size_bytes == most * dtypeBytes(words->dtype);
  if (!takes_words) {
    return invalidArgument(fmt::format(
        "a module that makes text has one input, the number of a token; this one has {}{}",
        info_.inputs.size(),
        words == nullptr ? "" : " of " + describe(words->dtype, words->shape)));
  }
  const TensorInfo* scores =
      info_.outputs.empty() ? nullptr : &info_.tensors[info_.outputs[0].tensor];
  const bool gives_scores =
      scores != nullptr && scores->dtype == DType::kF32 && scoreCount() > 1 &&
      scores->size_bytes ==
          static_cast<uint64_t>(mostScored()) * static_cast<uint64_t>(scoreCount()) * sizeof(float);
  if (!gives_scores) {
    return invalidArgument(
        "a module that makes text has the scores of all tokens as its first output, in float32");
  }
  return {};
}

Status WordReader::checkText(int64_t tokens) const {
  if (!info_.context.isKept()) {
    return invalidArgument(
        "the module keeps no text: compile the model with --context-length=WORDS");
  }
  VTA_RETURN_IF_ERROR(checkPorts());
  if (tokens > scoreCount()) {
    return invalidArgument(fmt::format(
        "the tokenizer has {} tokens and the model scores {}: they are not of one model", tokens,
        scoreCount()));
  }
  return {};
}

Result<WordScores> WordReader::read(std::span<const int64_t> words, size_t known,
                                    LaunchCounters& counters) const {
  const PortInfo& input = info_.inputs[0];
  auto ran = run_({{input.name, wordTensor(info_.tensors[input.tensor], words)}});
  if (!ran.ok()) return ran.status();
  for (const StepProfile& launch : ran->profile) counters += launch.counters;
  Tensor scores = std::move(ran->outputs.at(info_.outputs[0].name));
  const size_t scored = mostScored() == 1 ? 1 : words.size();
  return WordScores(std::move(scores), scored, static_cast<size_t>(scoreCount()), known);
}

}  // namespace vta::driver
