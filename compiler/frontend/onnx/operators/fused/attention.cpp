// Attention and RotaryEmbedding of ONNX's opset 23.
#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "compiler/frontend/onnx/op_table.h"
#include "compiler/frontend/onnx/operators/fused/heads.h"
#include "compiler/frontend/onnx/operators/fused/rotary.h"
#include "compiler/frontend/onnx/operators/layers.h"
#include "compiler/frontend/onnx/rows/checked_indices.h"

namespace vta::compiler {
namespace {

using graph::Shape;
using mlir::Value;

/// What is added to the scores: 0 where a query may look at a key, else minus infinity. Null: 0.
Value maskOf(Composer& c, int64_t queries, int64_t keys, int64_t past) {
  Node& node = c.node();
  const mlir::Type type = node.ir().getF32Type();
  constexpr double kNever = -std::numeric_limits<double>::infinity();
  Value mask = c.optional(3);
  if (mask && c.ok()) {
    if (graph::elementTypeOf(mask).isInteger(1)) {
      mask = c.where(mask, c.number(0, type), c.number(kNever, type));
    }
    // A short mask covers the first keys.
    const Shape shape = c.shape(mask);
    if (!shape.empty() && shape.back() > 1 && shape.back() < keys) {
      Shape high(shape.size(), 0);
      high.back() = keys - shape.back();
      mask = c.pad(mask, Shape(shape.size(), 0), high, kNever);
    }
  }
  if (node.integer("is_causal", 0) == 0) return mask;
  const Value below = causalMask(c, queries, keys, past);
  return mask ? c.add(mask, below) : below;
}

struct Heads {
  Value query, key, value;  // [batch, heads, length, size]
  int64_t past = 0;
};

Heads readHeads(Composer& c) {
  Node& node = c.node();
  const int64_t query_heads = node.integer("q_num_heads", 0);
  const int64_t key_heads = node.integer("kv_num_heads", 0);
  Heads h;
  h.query = byHeads(c, c.input(0, "Q"), query_heads, "q_num_heads");
  h.key = byHeads(c, c.input(1, "K"), key_heads, "kv_num_heads");
  h.value = byHeads(c, c.input(2, "V"), key_heads, "kv_num_heads");
  if (Value past = c.optional(4); past && c.ok()) {
    h.key = c.concat({past, h.key}, 2);
    if (c.ok()) h.past = c.shape(past)[2];
    h.value = c.concat({c.input(5, "past_value"), h.value}, 2);
  }
  return h;
}

Status importAttention(Node& node) {
  if (node.hasInput(6)) return unsupported("'nonpad_kv_seqlen' is not supported");
  Composer c(node);
  const bool is_flat = c.rank(c.input(0, "Q")) == 3;
  const Heads h = readHeads(c);
  if (!c.ok()) return c.status();
  const Shape query = c.shape(h.query), key = c.shape(h.key);
  if (query.size() != 4 || key.size() != 4 || key[1] < 1 || query[1] % key[1] != 0) {
    return invalidArgument(fmt::format("queries of shape {} do not fit keys of shape {}",
                                       graph::shapeText(query), graph::shapeText(key)));
  }
  const int64_t shared = query[1] / key[1];
  // Both sides get the root of the scale, as ONNX does: no product overflows.
  const double scale =
      std::sqrt(node.number("scale", 1 / std::sqrt(static_cast<double>(query[3]))));
  const Value keys = c.transpose(repeatedHeads(c, h.key, shared), {0, 1, 3, 2});
  Value scores = c.matmul(c.scale(h.query, scale), c.scale(keys, scale));
  const int64_t mode = node.integer("qk_matmul_output_mode", 0);
  Value shown = scores;
  const auto show = [&](int64_t stage) {
    if (mode >= stage) shown = scores;
  };
  // Before the mask: ONNX's first text had it behind, where what is masked out gets a weight again.
  if (const double cap = node.number("softcap", 0); cap != 0) {
    scores = c.scale(c.unary(graph::UnaryKind::tanh, c.scale(scores, 1 / cap)), cap);
    show(1);
  }
  if (const Value mask = maskOf(c, query[2], key[2], h.past)) {
    scores = c.add(scores, mask);
    show(2);
  }
  scores = c.softmax(scores, 3);
  show(3);
  Value output = c.matmul(scores, repeatedHeads(c, h.value, shared));
  if (is_flat) output = withoutHeads(c, output);
  VTA_RETURN_IF_ERROR(c.finish(output, 0));
  VTA_RETURN_IF_ERROR(c.finish(h.key, 1));
  VTA_RETURN_IF_ERROR(c.finish(h.value, 2));
  return c.finish(shown, 3);
}

/// Pairs of elements turned by angles whose cosines and sines are given.
Status importRotaryEmbedding(Node& node) {
  Composer c(node);
  Value input = c.input(0, "X"), cosines = c.input(1, "cos_cache"), sines = c.input(2, "sin_cache");
  const bool is_flat = c.rank(input) == 3;
  const Value x = byHeads(c, input, node.integer("num_heads", 0), "num_heads");
  if (!c.ok()) return c.status();
  const Shape shape = c.shape(x);
  if (shape.size() != 4) return invalidArgument("'X' needs three or four dimensions");
  if (Value positions = c.optional(3)) {
    if (c.rank(cosines) > 0) positions = checkedIndices(c, positions, {c.shape(cosines)[0]});
    cosines = c.gather(cosines, positions, 0);
    sines = c.gather(sines, positions, 0);
  }
  if (c.ok() && (c.rank(cosines) != 3 || c.rank(sines) != 3)) {
    return invalidArgument("'cos_cache' and 'sin_cache' do not fit 'position_ids'");
  }
  const int64_t turned = node.integer("rotary_embedding_dim", 0);
  const RotaryForm form = {turned == 0 ? shape[3] : turned, node.integer("interleaved", 0) != 0};
  Value output = rotated(c, x, cosines, sines, form);
  if (is_flat) output = withoutHeads(c, output);
  return c.finish(output);
}

}  // namespace

std::span<const OpEntry> attentionOps() {
  static constexpr OpEntry kOps[] = {
      {"Attention", 23, kLatest, importAttention},
      {"RotaryEmbedding", 23, kLatest, importRotaryEmbedding},
  };
  return kOps;
}

}  // namespace vta::compiler
