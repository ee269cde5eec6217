// Decoder: a language model of LLaMA's form, whatever file it comes from.
//
// Each layer normalises, attends with rotary positions, adds, normalises, has a gated hidden layer
// with SiLU, and adds again (Touvron et al., "LLaMA", arXiv 2302.13971).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/status.h"

namespace vta::compiler {

struct DecoderSizes {
  int64_t width = 0;
  int64_t layers = 0;
  int64_t heads = 0;      // of queries
  int64_t key_heads = 0;  // of keys and values; divides `heads`
  int64_t depth = 0;      // of a head
  int64_t hidden = 0;
  int64_t tokens = 0;     // of the vocabulary
  int64_t positions = 0;  // longest text in training; 0: not known
  double epsilon = 1e-5;  // of the normalisations
  /// Angles of a position by pairs of channels, `depth` / 2 of them.
  std::vector<double> rotary_rates;
};

/// Weights of a layer, or of the whole model.
enum class DecoderPart : uint8_t {
  kEmbedding,  // [tokens, width]
  kHead,       // [tokens, width]; where it is missing, the embedding
  kLastNorm,
  kAttentionNorm,
  kQuery,  // [heads * depth, width]
  kKey,    // [key_heads * depth, width]
  kValue,
  kOutput,     // [width, heads * depth]
  kQueryBias,  // biases may be missing
  kKeyBias,
  kValueBias,
  kHiddenNorm,
  kGate,  // [hidden, width]
  kUp,
  kDown,  // [width, hidden]
};

/// [outputs, inputs] numbers of a part. Either floats, or integers of 4 bits: 0 to 15 for -8 to 7,
/// with a scale for each 32 inputs.
struct DecoderMatrix {
  static constexpr int64_t kGroup = 32;

  int64_t outputs = 0, inputs = 0;
  std::vector<float> values;
  std::vector<uint8_t> pairs;  // two inputs a byte, the first one in the lower half
  std::vector<float> scales;

  bool hasFourBits() const { return !pairs.empty(); }
};

/// The weights of a model, read when they are wanted. A rotation turns the channels c and
/// c + depth / 2 of a head.
class DecoderWeights {
 public:
  virtual ~DecoderWeights() = default;
  virtual const DecoderSizes& sizes() const = 0;
  virtual bool has(DecoderPart part) const = 0;
  /// Errors: it is missing, or has another shape.
  virtual Result<DecoderMatrix> matrix(DecoderPart part, int64_t layer) const = 0;
  virtual Result<std::vector<float>> row(DecoderPart part, int64_t layer) const = 0;
};

/// The outputs and inputs that `part` has to have: the shape of a matrix, or one output for a row.
struct DecoderShape {
  int64_t outputs = 0, inputs = 0;
};
DecoderShape shapeOf(const DecoderSizes& sizes, DecoderPart part);

/// Whether `part` is a row of factors or biases, no matrix.
bool isRow(DecoderPart part);

/// Ok when a model can have these sizes, named as the file's fields are.
Status checkSizes(const DecoderSizes& sizes);

/// Angles of rotary positions: powers of `base` (Su et al., "RoFormer", arXiv 2104.09864).
std::vector<double> rotaryRates(int64_t depth, double base);

/// Reorders rows of queries or keys in which a rotation turns neighbours, 2c and 2c + 1, so that it
/// turns c and c + depth / 2.
void pairsToHalves(DecoderMatrix& matrix, int64_t depth);

/// The weights in a GGUF file: architectures llama and qwen2. Errors: not such a file, another
/// architecture, sizes or tensors that are missing or contradict each other, tensors that have no
/// place in the architecture.
Result<std::unique_ptr<DecoderWeights>> readGgufDecoder(std::vector<std::byte> file);

/// Whether `bytes` are a model of llama2.c: its first bytes, of `file_bytes` in all.
bool isLlama2c(std::span<const std::byte> bytes, uint64_t file_bytes);

/// The weights in a file of llama2.c: the first format, version 1, and version 2 (int8 in groups).
/// Errors: a file that is cut off, sizes that no model has.
Result<std::unique_ptr<DecoderWeights>> readLlama2cDecoder(std::vector<std::byte> file);

}  // namespace vta::compiler
