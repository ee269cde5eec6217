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

  /// Replaces the word of `sample` by one of those that are likely behind the last one that was
  /// read.
  void chooseWord(TensorMap& sample) {
    const auto found = sample.find(words_);
    if (words_.empty() || found == sample.end()) return;
    const auto scores = run_->values<float>(text_.caches.size());
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

  /// Adds what is kept to `sample`, and reads it.
  Status read(TensorMap& sample, size_t number) {
    if (length_ == text_.capacity) begin();
    sample.insert(kept_.begin(), kept_.end());
    std::memcpy(sample.at(text_.length).data.data(), &length_, sizeof length_);
    VTA_RETURN_IF_ERROR(checkSample(main_, sample, number));
    VTA_RETURN_IF_ERROR(run_->run(sample));
    for (size_t i = 0; i < text_.caches.size(); ++i) append(i);
    ++length_;
    return {};
  }

  size_t keptBytes() const {
    size_t bytes = 0;
    for (const auto& [name, tensor] : kept_) bytes += tensor.sizeBytes();
    return bytes;
  }

 private:
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

  /// The first result, if it is a number for each word; else null.
  mlir::Value scoresOfWords() {
    const mlir::Value scores = main_.getBody().front().getTerminator()->getOperand(0);
    const auto type = mlir::cast<mlir::RankedTensorType>(scores.getType());
    const bool fits = type.getElementType().isF32() && type.getRank() > 0 &&
                      type.getNumElements() == type.getShape().back() && type.getNumElements() > 1;
    return fits && scores.getDefiningOp() != nullptr ? scores : mlir::Value();
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
          type.getNumElements() == 1 && extent && scores &&
          mlir::cast<mlir::RankedTensorType>(scores.getType()).getNumElements() <= extent.getInt();
      if (!fits || !words.empty()) return;
      words = name.str();
    }
    words_ = words;
  }

  void append(size_t number) {
    const graph::KeptCache& cache = text_.caches[number];
    Tensor& tensor = kept_.at(cache.input);
    const int64_t extent = tensor.shape[static_cast<size_t>(cache.axis)];
    if (length_ >= extent) return;
    int64_t copies = 1;
    for (int64_t d = 0; d < cache.axis; ++d) copies *= tensor.shape[static_cast<size_t>(d)];
    const size_t row_bytes = tensor.sizeBytes() / static_cast<size_t>(copies * extent);
    const auto fresh = run_->values<std::byte>(number);
    for (int64_t copy = 0; copy < copies; ++copy) {
      std::memcpy(tensor.data.data() + static_cast<size_t>(copy * extent + length_) * row_bytes,
                  fresh.data() + static_cast<size_t>(copy) * row_bytes, row_bytes);
    }
  }

  mlir::func::FuncOp main_;
  graph::KeptText text_;
  std::optional<ActivationRun> run_;
  TensorMap kept_;
  int64_t length_ = 0;
  std::string words_;  // the input of words; empty: they are not chosen
  std::mt19937_64 random_{1};
};

}  // namespace

Result<std::vector<TensorMap>> readText(mlir::ModuleOp module, std::vector<TensorMap> samples,
                                        bool makes_words, const codegen::CodeOptions& options) {
  auto main = module.lookupSymbol<mlir::func::FuncOp>("main");
  auto text = graph::keptTextOf(main);
  if (!text || samples.empty()) return samples;
  TextReader reader(main, *std::move(text));
  VTA_RETURN_IF_ERROR(reader.prepare(module, options));
  const size_t most =
      std::max<size_t>(1, kMostSampleBytes / std::max<size_t>(1, reader.keptBytes()));
  const size_t distance = (samples.size() + most - 1) / most;
  std::vector<TensorMap> read;
  for (size_t i = 0; i < samples.size(); ++i) {
    if (makes_words && i > 0) reader.chooseWord(samples[i]);
    VTA_RETURN_IF_ERROR(reader.read(samples[i], i));
    if (i % distance == distance - 1) read.push_back(std::move(samples[i]));
    samples[i].clear();
  }
  return read;
}

}  // namespace vta::compiler
