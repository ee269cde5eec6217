// Language models in GGUF files.
//
// Source of the names: https://github.com/ggml-org/llama.cpp, gguf-py/gguf/constants.py. Its
// converter writes queries and keys of architecture llama with the pairs of a rotation as
// neighbours, those of qwen2 as halves.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <cstring>
#include <optional>
#include <set>

#include "base/gguf/gguf_file.h"
#include "base/half.h"
#include "compiler/frontend/decoders/decoder.h"

namespace vta::compiler {
namespace {

constexpr double kUsualBase = 10000;

struct PartName {
  DecoderPart part;
  const char* name;  // "{}" is the layer
};

constexpr std::array kNames = {
    PartName{DecoderPart::kEmbedding, "token_embd.weight"},
    PartName{DecoderPart::kHead, "output.weight"},
    PartName{DecoderPart::kLastNorm, "output_norm.weight"},
    PartName{DecoderPart::kAttentionNorm, "blk.{}.attn_norm.weight"},
    PartName{DecoderPart::kQuery, "blk.{}.attn_q.weight"},
    PartName{DecoderPart::kKey, "blk.{}.attn_k.weight"},
    PartName{DecoderPart::kValue, "blk.{}.attn_v.weight"},
    PartName{DecoderPart::kOutput, "blk.{}.attn_output.weight"},
    PartName{DecoderPart::kQueryBias, "blk.{}.attn_q.bias"},
    PartName{DecoderPart::kKeyBias, "blk.{}.attn_k.bias"},
    PartName{DecoderPart::kValueBias, "blk.{}.attn_v.bias"},
    PartName{DecoderPart::kHiddenNorm, "blk.{}.ffn_norm.weight"},
    PartName{DecoderPart::kGate, "blk.{}.ffn_gate.weight"},
    PartName{DecoderPart::kUp, "blk.{}.ffn_up.weight"},
    PartName{DecoderPart::kDown, "blk.{}.ffn_down.weight"},
};
/// What divides the rates of rotary positions (LLaMA 3).
constexpr const char* kRateDivisors = "rope_freqs.weight";

std::string nameOf(DecoderPart part, int64_t layer) {
  for (const PartName& row : kNames) {
    if (row.part == part) return fmt::format(fmt::runtime(row.name), layer);
  }
  return {};
}

struct Architecture {
  const char* name;
  bool turns_neighbours;
};
constexpr std::array kArchitectures = {Architecture{"llama", true}, Architecture{"qwen2", false}};

Result<const Architecture*> architectureOf(const GgufFile& file) {
  VTA_ASSIGN_OR_RETURN(const std::optional<std::string> name, file.text("general.architecture"));
  if (!name) return invalidArgument("the GGUF file does not say its architecture");
  for (const Architecture& row : kArchitectures) {
    if (*name == row.name) return &row;
  }
  std::vector<std::string_view> names;
  for (const Architecture& row : kArchitectures) names.emplace_back(row.name);
  return unsupported(fmt::format(
      "architecture '{}' of a GGUF file is not supported; {} are. Export the model to ONNX", *name,
      fmt::join(names, ", ")));
}

class GgufDecoder final : public DecoderWeights {
 public:
  static Result<std::unique_ptr<DecoderWeights>> read(std::vector<std::byte> bytes) {
    VTA_ASSIGN_OR_RETURN(GgufFile file, GgufFile::parse(std::move(bytes)));
    std::unique_ptr<GgufDecoder> decoder(new GgufDecoder(std::move(file)));
    VTA_ASSIGN_OR_RETURN(decoder->architecture_, architectureOf(decoder->file_));
    VTA_RETURN_IF_ERROR(decoder->readSizes());
    VTA_RETURN_IF_ERROR(decoder->checkTensors());
    return std::unique_ptr<DecoderWeights>(std::move(decoder));
  }

  const DecoderSizes& sizes() const override { return sizes_; }
  bool has(DecoderPart part) const override { return file_.tensor(nameOf(part, 0)) != nullptr; }

  Result<DecoderMatrix> matrix(DecoderPart part, int64_t layer) const override {
    VTA_ASSIGN_OR_RETURN(const GgufTensor* tensor, tensorOf(part, layer));
    DecoderMatrix matrix{tensor->shape[0], tensor->shape[1], {}, {}, {}};
    if (tensor->type == GgufType::kQ4_0) {
      readFourBits(*tensor, matrix);
    } else {
      matrix.values = file_.floatsOf(*tensor);
    }
    const bool turns = part == DecoderPart::kQuery || part == DecoderPart::kKey;
    if (turns && architecture_->turns_neighbours) pairsToHalves(matrix, sizes_.depth);
    return matrix;
  }

  Result<std::vector<float>> row(DecoderPart part, int64_t layer) const override {
    VTA_ASSIGN_OR_RETURN(const GgufTensor* tensor, tensorOf(part, layer));
    DecoderMatrix row{static_cast<int64_t>(tensor->shape[0]), 1, file_.floatsOf(*tensor), {}, {}};
    const bool turns = part == DecoderPart::kQueryBias || part == DecoderPart::kKeyBias;
    if (turns && architecture_->turns_neighbours) pairsToHalves(row, sizes_.depth);
    return std::move(row.values);
  }

 private:
  explicit GgufDecoder(GgufFile file) : file_(std::move(file)) {}

  std::string field(std::string_view name) const {
    return fmt::format("{}.{}", architecture_->name, name);
  }

  /// A field that has to be there, unless there is something to take `otherwise`.
  Result<int64_t> integer(std::string_view name, std::optional<int64_t> otherwise = {}) const {
    VTA_ASSIGN_OR_RETURN(const std::optional<int64_t> value, file_.integer(field(name)));
    if (value) return *value;
    if (otherwise) return *otherwise;
    return invalidArgument(fmt::format("the GGUF file has no field '{}'", field(name)));
  }

  Result<double> number(std::string_view name, double otherwise) const {
    VTA_ASSIGN_OR_RETURN(const std::optional<double> value, file_.number(field(name)));
    return value.value_or(otherwise);
  }

  Status readSizes() {
    VTA_ASSIGN_OR_RETURN(sizes_.width, integer("embedding_length"));
    VTA_ASSIGN_OR_RETURN(sizes_.layers, integer("block_count"));
    VTA_ASSIGN_OR_RETURN(sizes_.hidden, integer("feed_forward_length"));
    VTA_ASSIGN_OR_RETURN(sizes_.heads, integer("attention.head_count"));
    VTA_ASSIGN_OR_RETURN(sizes_.key_heads, integer("attention.head_count_kv", sizes_.heads));
    VTA_ASSIGN_OR_RETURN(sizes_.positions, integer("context_length", 0));
    VTA_ASSIGN_OR_RETURN(sizes_.epsilon,
                         number("attention.layer_norm_rms_epsilon", sizes_.epsilon));
    if (sizes_.heads < 1) return checkSizes(sizes_);
    VTA_ASSIGN_OR_RETURN(sizes_.depth,
                         integer("attention.key_length", sizes_.width / sizes_.heads));
    const GgufTensor* embedding = file_.tensor(nameOf(DecoderPart::kEmbedding, 0));
    if (embedding == nullptr)
      return invalidArgument("the GGUF file has no tensor 'token_embd.weight'");
    sizes_.tokens = embedding->shape[0];
    VTA_RETURN_IF_ERROR(checkSizes(sizes_));
    VTA_RETURN_IF_ERROR(checkFields());
    return readRates();
  }

  /// Errors: what this reader does not know how to compute.
  Status checkFields() const {
    for (const auto& [name, needed] :
         {std::pair<std::string_view, int64_t>{"attention.value_length", sizes_.depth},
          {"rope.dimension_count", sizes_.depth},
          {"expert_count", 0}}) {
      VTA_ASSIGN_OR_RETURN(const int64_t value, integer(name, needed));
      if (value == needed) continue;
      return unsupported(fmt::format("field '{}' of the GGUF file is {}; {} is supported",
                                     field(name), value, needed));
    }
    return {};
  }

  Status readRates() {
    VTA_ASSIGN_OR_RETURN(const double base, number("rope.freq_base", kUsualBase));
    if (!(base > 1))
      return invalidArgument(
          fmt::format("field '{}' of the GGUF file is {}", field("rope.freq_base"), base));
    sizes_.rotary_rates = rotaryRates(sizes_.depth, base);
    VTA_ASSIGN_OR_RETURN(const std::optional<std::string> scaling,
                         file_.text(field("rope.scaling.type")));
    if (scaling && *scaling != "none" && *scaling != "linear") {
      return unsupported(fmt::format(
          "scaling '{}' of rotary positions is not supported; none and linear are", *scaling));
    }
    if (scaling == "linear") {
      VTA_ASSIGN_OR_RETURN(const double factor, number("rope.scaling.factor", 1));
      if (!(factor > 0))
        return invalidArgument(
            fmt::format("field '{}' of the GGUF file is {}", field("rope.scaling.factor"), factor));
      for (double& rate : sizes_.rotary_rates) rate /= factor;
    }
    return divideRates();
  }

  Status divideRates() {
    const GgufTensor* tensor = file_.tensor(kRateDivisors);
    if (tensor == nullptr) return {};
    const std::vector<float> divisors = file_.floatsOf(*tensor);
    if (divisors.size() != sizes_.rotary_rates.size()) {
      return invalidArgument(fmt::format("tensor '{}' has {} numbers and needs {}", kRateDivisors,
                                         divisors.size(), sizes_.rotary_rates.size()));
    }
    for (size_t i = 0; i < divisors.size(); ++i) {
      if (!(divisors[i] > 0))
        return invalidArgument(
            fmt::format("tensor '{}' has a divisor of {}", kRateDivisors, divisors[i]));
      sizes_.rotary_rates[i] /= divisors[i];
    }
    return {};
  }

  /// Errors: a tensor without a place. Leaving it out would compute something else.
  Status checkTensors() const {
    std::set<std::string> known = {kRateDivisors};
    for (const PartName& row : kNames) {
      if (!has(row.part)) continue;  // in the first layer: then no other one may have it
      for (int64_t layer = 0; layer < sizes_.layers; ++layer) known.insert(nameOf(row.part, layer));
    }
    for (const auto& [name, tensor] : file_.tensors()) {
      if (known.contains(name)) continue;
      return unsupported(
          fmt::format("tensor '{}' of the GGUF file has no place in a model of {} with {} layers",
                      name, architecture_->name, sizes_.layers));
    }
    return {};
  }

  Result<const GgufTensor*> tensorOf(DecoderPart part, int64_t layer) const {
    const std::string name = nameOf(part, layer);
    const GgufTensor* tensor = file_.tensor(name);
    if (tensor == nullptr)
      return invalidArgument(fmt::format("the GGUF file has no tensor '{}'", name));
    const DecoderShape shape = shapeOf(sizes_, part);
    const std::vector<int64_t> row = {shape.inputs}, matrix = {shape.outputs, shape.inputs};
    const std::vector<int64_t>& needed = isRow(part) ? row : matrix;
    if (tensor->shape == needed) return tensor;
    return invalidArgument(
        fmt::format("tensor '{}' of the GGUF file has the shape [{}]; the model's sizes need [{}]",
                    name, fmt::join(tensor->shape, ", "), fmt::join(needed, ", ")));
  }

  /// Blocks have the first 16 integers in lower halves of bytes.
  void readFourBits(const GgufTensor& tensor, DecoderMatrix& matrix) const {
    const std::span<const std::byte> bytes = file_.bytesOf(tensor);
    const int64_t block_bytes = blockOf(tensor.type).bytes;
    const auto blocks = static_cast<int64_t>(bytes.size()) / block_bytes;
    matrix.scales.resize(blocks);
    matrix.pairs.resize(blocks * DecoderMatrix::kGroup / 2);
    for (int64_t i = 0; i < blocks; ++i) {
      const auto block = bytes.subspan(i * block_bytes, block_bytes);
      uint16_t scale = 0;
      std::memcpy(&scale, block.data(), sizeof scale);
      matrix.scales[i] = halfToFloat(scale);
      const auto integer = [&](int64_t j) {
        const auto pair = static_cast<unsigned>(block[2 + j % 16]);
        return j < 16 ? pair & 15 : pair >> 4;
      };
      for (int64_t j = 0; j < 16; ++j) {
        matrix.pairs[i * 16 + j] = static_cast<uint8_t>(integer(2 * j) | integer(2 * j + 1) << 4);
      }
    }
  }

  GgufFile file_;
  const Architecture* architecture_ = nullptr;
  DecoderSizes sizes_;
};

}  // namespace

Result<std::unique_ptr<DecoderWeights>> readGgufDecoder(std::vector<std::byte> file) {
  return GgufDecoder::read(std::move(file));
}

}  // namespace vta::compiler
