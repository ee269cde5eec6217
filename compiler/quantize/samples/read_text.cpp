#include "compiler/quantize/samples/read_text.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <utility>

#include "compiler/dialects/graph/element_type.h"
#include "compiler/dialects/graph/text/kept_text.h"
#include "compiler/quantize/calibrate/activation_run.h"

namespace vta::compiler {
namespace {

/// What samples may take together.
constexpr size_t kMostSampleBytes = size_t{512} << 20;

/// Values of @main by the names of its results.
std::map<std::string, mlir::Value> namedResults(mlir::func::FuncOp main) {
  std::map<std::string, mlir::Value> results;
  mlir::Operation* end = main.getBody().front().getTerminator();
  for (unsigned i = 0; i < main.getNumResults(); ++i) {
    const auto name = main.getResultAttrOfType<mlir::StringAttr>(i, "graph.name");
    if (name) results[name.str()] = end->getOperand(i);
  }
  return results;
}

/// The float network, with what it has left of the text.
class TextReader {
 public:
  TextReader(mlir::func::FuncOp main, graph::KeptText text) : main_(main), text_(std::move(text)) {}

  Status prepare(mlir::ModuleOp module, const codegen::CodeOptions& options) {
    const auto results = namedResults(main_);
    std::vector<mlir::Value> rows;
    for (const graph::KeptCache& cache : text_.caches) {
      const auto found = results.find(cache.output);
      if (found == results.end()) return internalError("a cache without rows");
      rows.push_back(found->second);
    }
    findWords();
    if (!words_.empty()) rows.push_back(scoresOfWords());
    VTA_ASSIGN_OR_RETURN(ActivationRun run, ActivationRun::create(module, rows, options));
    run_.emplace(std::move(run));
    begin();
    return {};
  }

  /// Whether the model takes the number of a word and scores all of them.
  bool canChoose() const { return !words_.empty(); }

  /// Replaces the word of `sample`, one alone, by one of those that are likely behind the last one
  /// that was read.
  void chooseWord(TensorMap& sample) {
    const auto found = sample.find(words_);
    if (!canChoose() || found == sample.end()) return;
    const auto all = run_->values<float>(text_.caches.size());
    // Of each word of the run, or of its last one alone.
    const size_t count = scoreCount(scoresOfWords());
    const size_t row = all.size() == count ? 0 : static_cast<size_t>(last_words_ - 1);
    const auto scores = all.subspan(row * count, count);
    const double highest = *std::ranges::max_element(scores);
    std::vector<double> sums;
    for (const float score : scores) {
      const double weight = std::exp(static_cast<double>(score) - highest);
      sums.push_back((sums.empty() ? 0 : sums.back()) + weight);
    }
    const double drawn = static_cast<double>(random_() >> 11) * 0x1p-53 * sums.back();
    const auto word = static_cast<int64_t>(std::ranges::upper_bound(sums, drawn) - sums.begin());
    const auto last = static_cast<int64_t>(sums.size()) - 1;
    if (found->second.dtype == DType::kI64) {
      found->second.as<int64_t>()[0] = std::min(word, last);
    } else {
      found->second.as<int32_t>()[0] = static_cast<int32_t>(std::min(word, last));
    }
  }

  /// Adds what is kept to `sample`, whose first `words` are of the text, and reads it.
  Status read(TensorMap& sample, int64_t words, size_t number) {
    if (length_ + words > text_.words()) begin();
    sample.insert(kept_.begin(), kept_.end());
    std::memcpy(sample.at(text_.length).data.data(), &length_, sizeof length_);
    VTA_RETURN_IF_ERROR(checkSample(main_, sample, number));
    VTA_RETURN_IF_ERROR(run_->run(sample));
    for (size_t i = 0; i < text_.caches.size(); ++i) append(i, words);
    length_ += words;
    last_words_ = words;
    return {};
  }

  /// Forgets what it has read.
  void begin() {
    length_ = 0;
    kept_.clear();
    for (unsigned i = 0; i < main_.getNumArguments(); ++i) {
      const auto name = main_.getArgAttrOfType<mlir::StringAttr>(i, "graph.name");
      if (!name || !text_.isKeptInput(name.str())) continue;
      const auto type = mlir::cast<mlir::RankedTensorType>(main_.getArgument(i).getType());
      const auto dtype = graph::dtypeOf(type.getElementType());
      kept_[name.str()] = Tensor::zeros(dtype.value_or(DType::kF32), type.getShape().vec());
    }
  }

  size_t keptBytes() const {
    size_t bytes = 0;
    for (const auto& [name, tensor] : kept_) bytes += tensor.sizeBytes();
    return bytes;
  }

 private:
  /// The first result, if it is a number for each word behind each one of a run; else null.
  mlir::Value scoresOfWords() {
    const mlir::Value scores = main_.getBody().front().getTerminator()->getOperand(0);
    const auto type = mlir::cast<mlir::RankedTensorType>(scores.getType());
    const bool fits = type.getElementType().isF32() && type.getRank() > 0 &&
                      (type.getNumElements() == type.getShape().back() * text_.run_words ||
                       type.getNumElements() == type.getShape().back()) &&
                      type.getShape().back() > 1;
    return fits && scores.getDefiningOp() != nullptr ? scores : mlir::Value();
  }

  static size_t scoreCount(mlir::Value scores) {
    return static_cast<size_t>(
        mlir::cast<mlir::RankedTensorType>(scores.getType()).getShape().back());
  }

  /// The only input that is not kept, if it is the number of a word that all scores stand for.
  void findWords() {
    const mlir::Value scores = scoresOfWords();
    std::string words;
    for (unsigned i = 0; i < main_.getNumArguments(); ++i) {
      const auto name = main_.getArgAttrOfType<mlir::StringAttr>(i, "graph.name");
      if (!name || text_.isKeptInput(name.str())) continue;
      const auto type = mlir::cast<mlir::RankedTensorType>(main_.getArgument(i).getType());
      const auto extent = main_.getArgAttrOfType<mlir::IntegerAttr>(i, "graph.index_extent");
      const bool fits =
          (type.getElementType().isInteger(64) || type.getElementType().isInteger(32)) &&
          type.getNumElements() == text_.run_words && extent && scores &&
          static_cast<int64_t>(scoreCount(scores)) <= extent.getInt();
      if (!fits || !words.empty()) return;
      words = name.str();
    }
    words_ = words;
  }

  /// Adds the first rows of the run to a cache. What no later run could read is left out.
  void append(size_t number, int64_t words) {
    const graph::KeptCache& cache = text_.caches[number];
    Tensor& tensor = kept_.at(cache.input);
    const int64_t extent = tensor.shape[static_cast<size_t>(cache.axis)];
    const int64_t added = std::min(words, extent - length_);
    if (added <= 0) return;
    int64_t copies = 1;
    for (int64_t d = 0; d < cache.axis; ++d) copies *= tensor.shape[static_cast<size_t>(d)];
    const size_t row_bytes = tensor.sizeBytes() / static_cast<size_t>(copies * extent);
    const auto fresh = run_->values<std::byte>(number);
    for (int64_t copy = 0; copy < copies; ++copy) {
      std::memcpy(tensor.data.data() + static_cast<size_t>(copy * extent + length_) * row_bytes,
                  fresh.data() + static_cast<size_t>(copy * text_.run_words) * row_bytes,
                  static_cast<size_t>(added) * row_bytes);
    }
  }

  mlir::func::FuncOp main_;
  graph::KeptText text_;
  std::optional<ActivationRun> run_;
  TensorMap kept_;
  int64_t length_ = 0;
  int64_t last_words_ = 1;  // of the last run
  std::string words_;       // the input of words; empty: they are not chosen
  std::mt19937_64 random_{1};
};

/// The dimension of words in inputs of runs with several.
constexpr size_t kWordAxis = 1;

int64_t wordsOf(const Tensor& tensor) {
  return tensor.shape.size() > kWordAxis ? tensor.shape[kWordAxis] : 1;
}

/// Samples of any number of words as samples of one word. Their batch is 1.
std::vector<TensorMap> singleWords(const std::vector<TensorMap>& samples) {
  std::vector<TensorMap> words;
  for (const TensorMap& sample : samples) {
    for (const auto& [name, tensor] : sample) {  // the only one
      const auto count = static_cast<size_t>(wordsOf(tensor));
      const size_t word_bytes = tensor.sizeBytes() / std::max<size_t>(1, count);
      for (size_t i = 0; i < count; ++i) {
        Tensor word = tensor;
        if (word.shape.size() > kWordAxis) word.shape[kWordAxis] = 1;
        word.data.assign(tensor.data.begin() + static_cast<std::ptrdiff_t>(i * word_bytes),
                         tensor.data.begin() + static_cast<std::ptrdiff_t>((i + 1) * word_bytes));
        words.push_back({{name, std::move(word)}});
      }
    }
  }
  return words;
}

/// Whether samples have several words each for an input of `main` that takes one: those of a larger
/// network of the same module.
bool haveMoreWords(mlir::func::FuncOp main, const std::vector<TensorMap>& samples) {
  for (unsigned i = 0; i < main.getNumArguments(); ++i) {
    const auto name = main.getArgAttrOfType<mlir::StringAttr>(i, "graph.name");
    const auto type = mlir::cast<mlir::RankedTensorType>(main.getArgument(i).getType());
    if (!name || type.getRank() <= static_cast<int64_t>(kWordAxis)) continue;
    if (type.getDimSize(kWordAxis) != 1) continue;
    const auto has_more = [&](const TensorMap& sample) {
      const auto found = sample.find(name.str());
      return sample.size() == 1 && found != sample.end() && wordsOf(found->second) > 1;
    };
    if (std::ranges::any_of(samples, has_more)) return true;
  }
  return false;
}

/// A sample of `count` words from number `first` on; behind the last one the first one follows.
TensorMap runOf(const std::vector<TensorMap>& words, size_t first, int64_t count) {
  TensorMap run;
  for (int64_t i = 0; i < count; ++i) {
    for (const auto& [name, word] : words[(first + static_cast<size_t>(i)) % words.size()]) {
      Tensor& joined = run.try_emplace(name, Tensor{word.dtype, word.shape, {}}).first->second;
      if (joined.shape.size() > kWordAxis) joined.shape[kWordAxis] = count;
      joined.data.insert(joined.data.end(), word.data.begin(), word.data.end());
    }
  }
  return run;
}

/// Makes the numbers behind the first `words` negative, as sessions do.
void markFilling(Tensor& tensor, size_t words) {
  if (tensor.dtype == DType::kI64) std::ranges::fill(tensor.as<int64_t>().subspan(words), -1);
  if (tensor.dtype == DType::kI32) std::ranges::fill(tensor.as<int32_t>().subspan(words), -1);
}

/// Samples of as many words as a run reads. What is left over at the end of the text is left out.
Result<std::vector<TensorMap>> joinWords(TextReader& reader, const graph::KeptText& text,
                                         const std::vector<TensorMap>& samples, bool makes_words) {
  std::vector<TensorMap> words = singleWords(samples);
  if (words.empty()) return words;
  for (size_t i = 0; makes_words && reader.canChoose() && i < words.size(); ++i) {
    if (i > 0) reader.chooseWord(words[i]);
    TensorMap run = runOf({words[i]}, 0, text.run_words);
    for (auto& [name, tensor] : run) markFilling(tensor, 1);
    VTA_RETURN_IF_ERROR(reader.read(run, 1, i));
  }
  reader.begin();
  std::vector<TensorMap> runs;
  const size_t count = std::max<size_t>(1, words.size() / static_cast<size_t>(text.run_words));
  for (size_t i = 0; i < count; ++i) {
    runs.push_back(runOf(words, i * static_cast<size_t>(text.run_words), text.run_words));
  }
  return runs;
}

}  // namespace

Result<std::vector<TensorMap>> readText(mlir::ModuleOp module, std::vector<TensorMap> samples,
                                        bool makes_words, const codegen::CodeOptions& options) {
  auto main = module.lookupSymbol<mlir::func::FuncOp>("main");
  auto text = graph::keptTextOf(main);
  if (!text || samples.empty()) return samples;
  TextReader reader(main, *text);
  VTA_RETURN_IF_ERROR(reader.prepare(module, options));
  if (text->run_words > 1) {
    VTA_ASSIGN_OR_RETURN(samples, joinWords(reader, *text, samples, makes_words));
    makes_words = false;
  } else if (haveMoreWords(main, samples)) {
    samples = singleWords(samples);
  }
  const size_t most =
      std::max<size_t>(1, kMostSampleBytes / std::max<size_t>(1, reader.keptBytes()));
  const size_t distance = (samples.size() + most - 1) / most;
  std::vector<TensorMap> read;
  for (size_t i = 0; i < samples.size(); ++i) {
    if (makes_words && i > 0) reader.chooseWord(samples[i]);
    VTA_RETURN_IF_ERROR(reader.read(samples[i], text->run_words, i));
    if (i % distance == distance - 1) read.push_back(std::move(samples[i]));
    samples[i].clear();
  }
  return read;
}

}  // namespace vta::compiler
