// Operators of com.microsoft that ONNX Runtime's optimiser makes of transformers.
#include <fmt/format.h>

#include <cmath>
#include <numeric>

#include "compiler/dialects/graph/constant_tensor.h"
#include "compiler/frontend/onnx/op_table.h"
#include "compiler/frontend/onnx/operators/fused/heads.h"
#include "compiler/frontend/onnx/operators/integer/quantize.h"
#include "compiler/frontend/onnx/operators/layers.h"
#include "compiler/frontend/onnx/rows/checked_indices.h"

namespace vta::compiler {
namespace {

using graph::Shape;
using mlir::Value;

/// [batch, heads, length, size] of each, and what is added to the scores (null: nothing).
struct FusedHeads {
  Value query, key, value, mask, bias;
  int64_t past = 0;
};

/// What is added to scores for `mask`: 0 where a key counts, else the node's mask_filter_value.
/// Masks say which keys count, or for each image how many do.
Value addedMask(Composer& c, Value mask, int64_t batch, int64_t keys) {
  if (!mask || !c.ok()) return {};
  const Shape shape = c.shape(mask);
  const mlir::Type real = c.node().ir().getF32Type();
  Value counts;
  if (shape == Shape{batch}) {
    const mlir::Type type = graph::elementTypeOf(mask);
    counts = c.less(c.positions(keys, 3, 4, type), c.reshape(mask, {batch, 1, 1, 1}));
  } else if (shape.size() >= 2 && shape.size() <= 4 && shape.back() == keys &&
             (shape[0] == batch || shape[0] == 1)) {
    Shape wide = shape;
    while (wide.size() < 4) wide.insert(wide.begin() + 1, 1);
    counts = c.reshape(mask, wide);
  } else {
    c.fail(unsupported(fmt::format("a mask of shape {} for {} keys is not supported",
                                   graph::shapeText(shape), keys)));
    return {};
  }
  const Value left_out = c.sub(c.number(1, real), c.cast(counts, real));
  return c.scale(left_out, c.node().number("mask_filter_value", -10000));
}

Value attend(Composer& c, const FusedHeads& h) {
  if (!c.ok()) return {};
  Node& node = c.node();
  const Shape query = c.shape(h.query), key = c.shape(h.key);
  if (query.size() != 4 || key.size() != 4 || query[1] != key[1] || query[3] != key[3]) {
    c.fail(invalidArgument(fmt::format("queries of shape {} do not fit keys of shape {}",
                                       graph::shapeText(query), graph::shapeText(key))));
    return {};
  }
  const double given = node.number("scale", 0);
  const double scale = given != 0 ? given : 1 / std::sqrt(static_cast<double>(query[3]));
  Value scores = c.scale(c.matmul(h.query, c.transpose(h.key, {0, 1, 3, 2})), scale);
  if (const Value mask = addedMask(c, h.mask, query[0], key[2])) scores = c.add(scores, mask);
  if (h.bias) scores = c.add(scores, h.bias);
  if (node.integer("unidirectional", 0) != 0) {
    scores = c.add(scores, causalMask(c, query[2], key[2], h.past));
  }
  return withoutHeads(c, c.matmul(c.softmax(scores, 3), h.value));
}

/// Keys (0) or values (1) with those of earlier steps, which `past` holds, in front.
Value withPast(Composer& c, Value past, int64_t which, Value value) {
  if (!past || !c.ok()) return value;
  return c.concat({c.squeeze(c.slice(past, 0, which, which + 1), 0), value}, 2);
}

/// Errors of forms that neither Attention nor QAttention is supported in.
Status checkProjectedAttention(Node& node) {
  if (node.integer("do_rotary", 0) != 0) return unsupported("'do_rotary' is not supported");
  if (node.integer("past_present_share_buffer", 0) != 0) {
    return unsupported("a buffer that past and present share is not supported");
  }
  return {};
}

/// Attends with the queries, keys and values that `all` holds side by side. Null: no mask, no past,
/// no bias of scores.
Status finishProjectedAttention(Composer& c, Value all, Value mask, Value past, Value bias) {
  if (!c.ok()) return c.status();
  Node& node = c.node();
  const Shape shape = c.shape(all);
  Shape sizes = node.integerList("qkv_hidden_sizes").value_or(Shape(3, shape.back() / 3));
  if (shape.size() != 3 || sizes.size() != 3 ||
      std::accumulate(sizes.begin(), sizes.end(), int64_t{0}) != shape[2]) {
    return invalidArgument(fmt::format("queries, keys and values of sizes {} do not fit {}",
                                       graph::shapeText(sizes), graph::shapeText(shape)));
  }
  const int64_t heads = node.integer("num_heads", 0);
  int64_t start = 0;
  const auto next = [&](int64_t size) {
    const Value part = c.slice(all, 2, start, start + size);
    start += size;
    return byHeads(c, part, heads, "num_heads");
  };
  FusedHeads h;
  h.query = next(sizes[0]);
  h.key = next(sizes[1]);
  h.value = next(sizes[2]);
  h.mask = mask;
  h.bias = bias;
  if (past && c.ok()) {
    if (c.rank(past) != 5) return invalidArgument("'past' needs five dimensions");
    h.past = c.shape(past)[3];
    h.key = withPast(c, past, 0, h.key);
    h.value = withPast(c, past, 1, h.value);
  }
  VTA_RETURN_IF_ERROR(c.finish(attend(c, h)));
  if (!node.isOutputUsed(1)) return {};
  return c.finish(c.concat({c.unsqueeze(h.key, 0), c.unsqueeze(h.value, 0)}, 0), 1);
}

/// Projects the input to queries, keys and values, then attends.
Status importFusedAttention(Node& node) {
  VTA_RETURN_IF_ERROR(checkProjectedAttention(node));
  if (node.hasInput(6)) {
    return unsupported("a buffer that past and present share is not supported");
  }
  Composer c(node);
  Value all = c.matmul(c.input(0, "input"), c.input(1, "weights"));
  if (const Value bias = c.optional(2)) all = c.add(all, bias);
  return finishProjectedAttention(c, all, c.optional(3), c.optional(4), c.optional(5));
}

/// The same with an input and weights of 8 bits, whose product is exact.
Status importQuantizedAttention(Node& node) {
  VTA_RETURN_IF_ERROR(checkProjectedAttention(node));
  Composer c(node);
  const Value product =
      integerProduct(c, c.input(0, "input"), c.input(1, "weight"), c.optional(6), c.optional(7));
  const Value scale = c.mul(c.input(3, "input_scale"), c.input(4, "weight_scale"));
  if (!c.ok()) return c.status();
  const Value real = c.mul(c.cast(product, graph::elementTypeOf(scale)), scale);
  const Value all = c.add(real, c.input(2, "bias"));
  return finishProjectedAttention(c, all, c.optional(5), c.optional(8), {});
}

/// `value` with part `which` of the biases of queries, keys and values added.
Value withBias(Composer& c, Value value, Value bias, int64_t start, int64_t& end) {
  if (!c.ok()) return {};
  end = start + c.shape(value).back();
  return bias ? c.add(value, c.slice(bias, 0, start, end)) : value;
}

Status importMultiHeadAttention(Node& node) {
  Composer c(node);
  const Value query = c.input(0, "query");
  if (c.ok() && (c.rank(query) != 3 || !node.hasInput(1) || !node.hasInput(2))) {
    return unsupported("packed queries, keys and values are not supported");
  }
  const int64_t heads = node.integer("num_heads", 0);
  const Value bias = c.optional(3);
  int64_t end = 0;
  FusedHeads h;
  h.query = byHeads(c, withBias(c, query, bias, 0, end), heads, "num_heads");
  const auto flat = [&](size_t index, const char* name) {
    const Value value = c.input(index, name);
    // Four dimensions: the heads of another part of the network, which has added its bias.
    if (!c.ok() || c.rank(value) == 4) return value;
    return byHeads(c, withBias(c, value, bias, end, end), heads, "num_heads");
  };
  h.key = flat(1, "key");
  h.value = flat(2, "value");
  h.mask = c.optional(4);
  h.bias = c.optional(5);
  if (const Value past = c.optional(6); past && c.ok()) {
    h.past = c.shape(past)[2];
    h.key = c.concat({past, h.key}, 2);
    h.value = c.concat({c.input(7, "past_value"), h.value}, 2);
  }
  VTA_RETURN_IF_ERROR(c.finish(attend(c, h)));
  VTA_RETURN_IF_ERROR(c.finish(h.key, 1));
  return c.finish(h.value, 2);
}

/// The rows of `table` that `ids` select.
Value embedded(Composer& c, Value table, Value ids) {
  if (c.ok() && c.rank(table) < 1) c.fail(invalidArgument("an embedding needs two dimensions"));
  if (!c.ok()) return {};
  return c.gather(table, checkedIndices(c, ids, {c.shape(table)[0]}), 0);
}

/// The sum of embeddings, normalised.
Status importEmbedLayerNormalization(Node& node) {
  Composer c(node);
  const Value ids = c.input(0, "input_ids");
  Value sum = embedded(c, c.input(2, "word_embedding"), ids);
  const Value places = c.input(3, "position_embedding");
  if (c.ok() && (c.rank(ids) != 2 || c.rank(places) != 2)) {
    return invalidArgument("'input_ids' and 'position_embedding' need two dimensions");
  }
  if (const Value positions = c.optional(8)) {
    sum = c.add(sum, embedded(c, places, positions));
  } else if (c.ok()) {
    sum = c.add(sum, c.slice(places, 0, 0, c.shape(ids)[1]));
  }
  if (const Value segments = c.optional(1)) {
    sum = c.add(sum, embedded(c, c.input(4, "segment_embedding"), segments));
  }
  if (!c.ok()) return c.status();
  VTA_ASSIGN_OR_RETURN(const Normalized result, normalized(node, sum, Shape{c.rank(sum) - 1},
                                                           node.number("epsilon", 1e-12)));
  VTA_RETURN_IF_ERROR(
      c.finish(c.add(c.mul(result.output, c.input(5, "gamma")), c.input(6, "beta"))));
  const mlir::Type i32 = node.ir().getI32Type();
  // How many positions of each image the mask has.
  const Value mask = c.optional(7);
  VTA_RETURN_IF_ERROR(
      c.finish(mask ? c.sum(c.cast(mask, i32), {1}) : c.filled({c.shape(ids)[0]}, 0, i32), 1));
  return c.finish(sum, 2);
}

/// Weights of 2, 4 or 8 bits with a scale for each block of a column.
Status importMatMulNBits(Node& node) {
  const int64_t depth = node.integer("K", 0), columns = node.integer("N", 0);
  const int64_t bits = node.integer("bits", 4), block = node.integer("block_size", 0);
  if (depth < 1 || columns < 1 || block < 16 || (bits != 2 && bits != 4 && bits != 8)) {
    return invalidArgument("'K', 'N', 'block_size' or 'bits' is wrong");
  }
  if (node.hasInput(4)) return unsupported("'g_idx' is not supported");
  VTA_ASSIGN_OR_RETURN(const mlir::DenseElementsAttr packed, node.constant(1, "B"));
  VTA_ASSIGN_OR_RETURN(const std::vector<double> scales, node.numbers(2, "scales"));
  const int64_t blocks = (depth + block - 1) / block, per_byte = 8 / bits;
  const int64_t zero_bytes = (blocks + per_byte - 1) / per_byte;
  std::vector<int64_t> zeros(static_cast<size_t>(columns * zero_bytes), 0);
  if (node.hasInput(3)) {
    VTA_ASSIGN_OR_RETURN(const mlir::DenseElementsAttr given, node.constant(3, "zero_points"));
    if (!given.getElementType().isUnsignedInteger(8)) {
      return unsupported("'zero_points' that are not packed in bytes are not supported");
    }
    zeros = graph::ConstantTensor(given).asIntegers();
  }
  const std::vector<int64_t> bytes = graph::ConstantTensor(packed).asIntegers();
  if (std::ssize(bytes) != columns * blocks * (block / per_byte) ||
      std::ssize(scales) != columns * blocks || std::ssize(zeros) != columns * zero_bytes) {
    return invalidArgument("'B', 'scales' or 'zero_points' does not fit 'K', 'N' and 'block_size'");
  }
  const auto part = [&](int64_t byte, int64_t index) {
    return (byte >> (index % per_byte * bits)) & ((1 << bits) - 1);
  };
  std::vector<double> weights(static_cast<size_t>(depth * columns));
  for (int64_t n = 0; n < columns; ++n) {
    for (int64_t k = 0; k < depth; ++k) {
      const int64_t at = n * blocks + k / block;
      const auto byte = static_cast<size_t>(at * (block / per_byte) + k % block / per_byte);
      const auto zero_byte = static_cast<size_t>(n * zero_bytes + k / block / per_byte);
      const int64_t zero =
          node.hasInput(3) ? part(zeros[zero_byte], k / block) : int64_t{1} << (bits - 1);
      weights[static_cast<size_t>(k * columns + n)] =
          static_cast<double>(part(bytes[byte], k % block) - zero) *
          scales[static_cast<size_t>(at)];
    }
  }
  Composer c(node);
  const Value input = c.input(0, "A");
  const Value product =
      c.matmul(input, c.numbers({depth, columns}, weights, node.ir().getF32Type()));
  const Value bias = c.optional(5);
  return c.finish(bias ? c.add(product, bias) : product);
}

}  // namespace

std::span<const OpEntry> transformerOps() {
  static constexpr OpEntry kOps[] = {
      {"Attention", 1, kLatest, importFusedAttention},
      {"EmbedLayerNormalization", 1, kLatest, importEmbedLayerNormalization},
      {"MatMulNBits", 1, kLatest, importMatMulNBits},
      {"MultiHeadAttention", 1, kLatest, importMultiHeadAttention},
      {"QAttention", 1, kLatest, importQuantizedAttention},
  };
  return kOps;
}

}  // namespace vta::compiler
