#include "compiler/frontend/decoders/decoder_graph.h"

#include <fmt/format.h>

#include <cmath>
#include <initializer_list>
#include <string>

namespace vta::compiler {
namespace {

constexpr int64_t kIrVersion = 10, kOpset = 23;
constexpr const char* kMicrosoft = "com.microsoft";
constexpr const char* kRows = "sequence_length";
constexpr const char* kPast = "past_sequence_length";
constexpr const char* kAll = "total_sequence_length";

/// An extent of an input or output: a number or a name.
struct Extent {
  Extent(int64_t number) : number(number) {}      // NOLINT: implicit by design
  Extent(const char* symbol) : symbol(symbol) {}  // NOLINT: implicit by design
  int64_t number = 0;
  std::string symbol;
};
using Shape = std::initializer_list<Extent>;

class GraphBuilder {
 public:
  GraphBuilder(const DecoderWeights& weights, int64_t positions)
      : weights_(weights),
        sizes_(weights.sizes()),
        positions_(positions),
        graph_(*model_.mutable_graph()) {}

  Result<onnx::ModelProto> build() {
    begin();
    VTA_ASSIGN_OR_RETURN(std::string x, embedding());
    for (int64_t layer = 0; layer < sizes_.layers; ++layer) {
      VTA_ASSIGN_OR_RETURN(x, attention(x, layer));
      VTA_ASSIGN_OR_RETURN(x, hidden(x, layer));
    }
    VTA_ASSIGN_OR_RETURN(x, norm(x, DecoderPart::kLastNorm, 0, "last_norm"));
    const auto head =
        weights_.has(DecoderPart::kHead) ? DecoderPart::kHead : DecoderPart::kEmbedding;
    VTA_RETURN_IF_ERROR(dense(x, head, 0, "logits").status());
    return std::move(model_);
  }

 private:
  void begin() {
    model_.set_ir_version(kIrVersion);
    model_.add_opset_import()->set_version(kOpset);
    onnx::OperatorSetIdProto* microsoft = model_.add_opset_import();
    microsoft->set_domain(kMicrosoft);
    microsoft->set_version(1);
    graph_.set_name("decoder");
    describe(*graph_.add_input(), "input_ids", onnx::TensorProto::INT64, {1, kRows});
    describe(*graph_.add_input(), "position_ids", onnx::TensorProto::INT64, {1, kRows});
    describe(*graph_.add_output(), "logits", onnx::TensorProto::FLOAT, {1, kRows, sizes_.tokens});
    angles();
  }

  static void describe(onnx::ValueInfoProto& value, const std::string& name, int32_t type,
                       Shape shape) {
    value.set_name(name);
    onnx::TypeProto::Tensor& tensor = *value.mutable_type()->mutable_tensor_type();
    tensor.set_elem_type(type);
    for (const Extent& extent : shape) {
      auto& dimension = *tensor.mutable_shape()->add_dim();
      if (extent.symbol.empty()) {
        dimension.set_dim_value(extent.number);
      } else {
        dimension.set_dim_param(extent.symbol);
      }
    }
  }

  template <typename T>
  std::string constant(const std::string& name, int32_t type, std::initializer_list<int64_t> shape,
                       std::span<const T> values) {
    onnx::TensorProto& tensor = *graph_.add_initializer();
    tensor.set_name(name);
    tensor.set_data_type(type);
    for (const int64_t extent : shape) tensor.add_dims(extent);
    tensor.set_raw_data(values.data(), values.size_bytes());
    return name;
  }

  std::string floats(const std::string& name, std::initializer_list<int64_t> shape,
                     std::span<const float> values) {
    return constant(name, onnx::TensorProto::FLOAT, shape, values);
  }

  /// A node whose name is that of its first output.
  onnx::NodeProto& node(const char* kind, std::initializer_list<std::string> inputs,
                        const std::string& output) {
    onnx::NodeProto& made = *graph_.add_node();
    made.set_op_type(kind);
    made.set_name(output);
    for (const std::string& input : inputs) made.add_input(input);
    made.add_output(output);
    return made;
  }

  static void set(onnx::NodeProto& node, const char* name, int64_t value) {
    onnx::AttributeProto& attribute = *node.add_attribute();
    attribute.set_name(name);
    attribute.set_type(onnx::AttributeProto::INT);
    attribute.set_i(value);
  }

  static void set(onnx::NodeProto& node, const char* name, float value) {
    onnx::AttributeProto& attribute = *node.add_attribute();
    attribute.set_name(name);
    attribute.set_type(onnx::AttributeProto::FLOAT);
    attribute.set_f(value);
  }

  /// Cosines and sines of all positions, [positions, depth / 2].
  void angles() {
    const int64_t half = sizes_.depth / 2;
    std::vector<float> cosines(positions_ * half), sines(positions_ * half);
    for (int64_t i = 0; i < positions_ * half; ++i) {
      const int64_t position = i / half;
      const double angle = static_cast<double>(position) * sizes_.rotary_rates[i % half];
      cosines[i] = static_cast<float>(std::cos(angle));
      sines[i] = static_cast<float>(std::sin(angle));
    }
    floats("cosines", {positions_, half}, cosines);
    floats("sines", {positions_, half}, sines);
  }

  Result<std::string> embedding() {
    VTA_ASSIGN_OR_RETURN(const DecoderMatrix matrix, weights_.matrix(DecoderPart::kEmbedding, 0));
    floats("embedding", {matrix.outputs, matrix.inputs}, floatsOf(matrix));
    node("Gather", {"embedding", "input_ids"}, "embedded");
    return std::string("embedded");
  }

  Result<std::string> norm(const std::string& x, DecoderPart part, int64_t layer,
                           const std::string& name) {
    VTA_ASSIGN_OR_RETURN(const std::vector<float> scale, weights_.row(part, layer));
    onnx::NodeProto& made =
        node("RMSNormalization", {x, floats(name + ".scale", {sizes_.width}, scale)}, name);
    set(made, "axis", int64_t{-1});
    set(made, "epsilon", static_cast<float>(sizes_.epsilon));
    return name;
  }

  /// x times the transposed matrix.
  Result<std::string> dense(const std::string& x, DecoderPart part, int64_t layer,
                            const std::string& name) {
    VTA_ASSIGN_OR_RETURN(const DecoderMatrix matrix, weights_.matrix(part, layer));
    if (matrix.hasFourBits()) return denseOfFourBits(x, matrix, name);
    std::vector<float> turned(matrix.values.size());
    for (int64_t output = 0; output < matrix.outputs; ++output) {
      for (int64_t input = 0; input < matrix.inputs; ++input) {
        turned[input * matrix.outputs + output] = matrix.values[output * matrix.inputs + input];
      }
    }
    node("MatMul", {x, floats(name + ".weight", {matrix.inputs, matrix.outputs}, turned)}, name);
    return name;
  }

  std::string denseOfFourBits(const std::string& x, const DecoderMatrix& matrix,
                              const std::string& name) {
    constexpr int64_t kGroup = DecoderMatrix::kGroup;
    const int64_t groups = matrix.inputs / kGroup;
    const std::string pairs = constant<uint8_t>(name + ".weight", onnx::TensorProto::UINT8,
                                                {matrix.outputs, groups, kGroup / 2}, matrix.pairs);
    const std::string scales = floats(name + ".scales", {matrix.outputs * groups}, matrix.scales);
    onnx::NodeProto& made = node("MatMulNBits", {x, pairs, scales}, name);
    made.set_domain(kMicrosoft);
    set(made, "K", matrix.inputs);
    set(made, "N", matrix.outputs);
    set(made, "bits", int64_t{4});
    set(made, "block_size", kGroup);
    return name;
  }

  /// A product and its bias, where there is one.
  Result<std::string> biased(const std::string& x, DecoderPart part, DecoderPart bias,
                             int64_t layer, const std::string& name) {
    if (!weights_.has(bias)) return dense(x, part, layer, name);
    VTA_RETURN_IF_ERROR(dense(x, part, layer, name + ".product").status());
    VTA_ASSIGN_OR_RETURN(const std::vector<float> row, weights_.row(bias, layer));
    node("Add",
         {name + ".product", floats(name + ".bias", {static_cast<int64_t>(row.size())}, row)},
         name);
    return name;
  }

  std::string turned(const std::string& x, int64_t heads) {
    const std::string name = x + ".turned";
    set(node("RotaryEmbedding", {x, "cosines", "sines", "position_ids"}, name), "num_heads", heads);
    return name;
  }

  Result<std::string> attention(const std::string& x, int64_t layer) {
    const std::string begin = fmt::format("layer{}.", layer);
    VTA_ASSIGN_OR_RETURN(const std::string h,
                         norm(x, DecoderPart::kAttentionNorm, layer, begin + "attention_norm"));
    VTA_ASSIGN_OR_RETURN(
        const std::string query,
        biased(h, DecoderPart::kQuery, DecoderPart::kQueryBias, layer, begin + "query"));
    VTA_ASSIGN_OR_RETURN(const std::string key,
                         biased(h, DecoderPart::kKey, DecoderPart::kKeyBias, layer, begin + "key"));
    VTA_ASSIGN_OR_RETURN(
        const std::string value,
        biased(h, DecoderPart::kValue, DecoderPart::kValueBias, layer, begin + "value"));
    const std::string mixed = begin + "attention";
    onnx::NodeProto& made =
        node("Attention",
             {turned(query, sizes_.heads), turned(key, sizes_.key_heads), value, "",
              cache("past_key_values", layer, "key"), cache("past_key_values", layer, "value")},
             mixed);
    made.add_output(cache("present", layer, "key"));
    made.add_output(cache("present", layer, "value"));
    set(made, "q_num_heads", sizes_.heads);
    set(made, "kv_num_heads", sizes_.key_heads);
    set(made, "is_causal", int64_t{1});
    VTA_ASSIGN_OR_RETURN(const std::string out,
                         dense(mixed, DecoderPart::kOutput, layer, begin + "output"));
    node("Add", {x, out}, begin + "attended");
    return begin + "attended";
  }

  /// Declares a cache and gives its name.
  std::string cache(const std::string& when, int64_t layer, const char* what) {
    const bool is_past = when != "present";
    const std::string name = fmt::format("{}.{}.{}", when, layer, what);
    describe(is_past ? *graph_.add_input() : *graph_.add_output(), name, onnx::TensorProto::FLOAT,
             {1, sizes_.key_heads, is_past ? kPast : kAll, sizes_.depth});
    return name;
  }

  Result<std::string> hidden(const std::string& x, int64_t layer) {
    const std::string begin = fmt::format("layer{}.", layer);
    VTA_ASSIGN_OR_RETURN(const std::string h,
                         norm(x, DecoderPart::kHiddenNorm, layer, begin + "hidden_norm"));
    VTA_ASSIGN_OR_RETURN(const std::string gate,
                         dense(h, DecoderPart::kGate, layer, begin + "gate"));
    VTA_ASSIGN_OR_RETURN(const std::string up, dense(h, DecoderPart::kUp, layer, begin + "up"));
    node("Sigmoid", {gate}, begin + "sigmoid");
    node("Mul", {gate, begin + "sigmoid"}, begin + "silu");
    node("Mul", {begin + "silu", up}, begin + "gated");
    VTA_ASSIGN_OR_RETURN(const std::string down,
                         dense(begin + "gated", DecoderPart::kDown, layer, begin + "down"));
    node("Add", {x, down}, begin + "out");
    return begin + "out";
  }

  static std::vector<float> floatsOf(const DecoderMatrix& matrix) {
    if (!matrix.hasFourBits()) return matrix.values;
    std::vector<float> values(matrix.outputs * matrix.inputs);
    for (size_t i = 0; i < values.size(); ++i) {
      const int integer = (matrix.pairs[i / 2] >> (i % 2 * 4) & 15) - 8;
      values[i] = static_cast<float>(integer) * matrix.scales[i / DecoderMatrix::kGroup];
    }
    return values;
  }

  const DecoderWeights& weights_;
  const DecoderSizes& sizes_;
  const int64_t positions_;
  onnx::ModelProto model_;
  onnx::GraphProto& graph_;
};

}  // namespace

Result<onnx::ModelProto> decoderGraph(const DecoderWeights& weights, int64_t positions) {
  return GraphBuilder(weights, positions).build();
}

}  // namespace vta::compiler
