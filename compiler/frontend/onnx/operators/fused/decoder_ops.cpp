// Operators of com.microsoft that exporters of language models make: attention with a cache of keys
// and values, and rotary embeddings.
#include <fmt/format.h>

#include <algorithm>
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

// ---- RotaryEmbedding ----------------------------------------------------------------------------

/// The rows of a cache of angles [positions, size] that belong to `positions` [batch, length].
Value anglesAt(Composer& c, Value cache, Value positions) { return c.gather(cache, positions, 0); }

/// `given` [batch, length], or one number, the position of the first element.
Value positionsOf(Composer& c, Value given, int64_t length) {
  if (!c.ok() || c.rank(given) == 2) return given;
  if (c.shape(given) != Shape{1}) {
    c.fail(invalidArgument("'position_ids' is neither a matrix nor one number"));
    return {};
  }
  const Value steps = c.positions(length, 1, 2, graph::elementTypeOf(given));
  return c.add(c.reshape(given, {1, 1}), steps);
}

Status importFusedRotaryEmbedding(Node& node) {
  if (node.integer("is_packed_batching", 0) != 0) {
    return unsupported("'is_packed_batching' is not supported");
  }
  if (node.number("scale", 1) != 1) return unsupported("'scale' is not supported");
  Composer c(node);
  const Value input = c.input(0, "input");
  const Value cosines = c.input(2, "cos_cache"), sines = c.input(3, "sin_cache");
  const Shape shape = c.shape(input), angles = c.shape(cosines);
  if (!c.ok()) return c.status();
  if (angles.size() != 2 || c.shape(sines) != angles || shape.size() < 3) {
    return invalidArgument("'input', 'cos_cache' or 'sin_cache' has a wrong rank");
  }
  int64_t heads = node.integer("num_heads", 0);
  if (heads == 0 && angles[1] > 0) heads = shape.back() / (2 * angles[1]);
  const Value x = byHeads(c, input, heads, "num_heads");
  if (!c.ok()) return c.status();
  const int64_t length = c.shape(x)[2], size = c.shape(x)[3];
  Value positions = positionsOf(c, c.input(1, "position_ids"), length);
  if (c.rank(cosines) > 0) positions = checkedIndices(c, positions, {c.shape(cosines)[0]});
  const int64_t turned = node.integer("rotary_embedding_dim", 0);
  Value output = rotated(c, x, anglesAt(c, cosines, positions), anglesAt(c, sines, positions),
                         {turned == 0 ? size : turned, node.integer("interleaved", 0) != 0});
  if (shape.size() == 3) output = withoutHeads(c, output);
  return c.finish(output);
}

// ---- GroupQueryAttention ------------------------------------------------------------------------

/// Errors of forms that are not supported.
Status checkGroupQueryAttention(Node& node) {
  for (const char* name : {"k_quant_type", "v_quant_type"}) {
    if (node.text(name, "NONE") != "NONE") return unsupported("a quantised cache is not supported");
  }
  if (node.integer("sliding_window_cache", 0) != 0) {
    return unsupported("'sliding_window_cache' is not supported");
  }
  constexpr size_t kPositionIds = 9, kScales = 3;
  if (node.hasInput(kPositionIds)) return unsupported("'position_ids' is not supported");
  if (node.isOutputUsed(kScales)) return unsupported("'output_qk' is not supported");
  return {};
}

/// Attention of a step: `length` new queries, keys and values after those in a cache.
class GroupQueryAttention {
 public:
  explicit GroupQueryAttention(Node& node) : node_(node), c_(node) {}

  Status run() {
    VTA_RETURN_IF_ERROR(checkGroupQueryAttention(node_));
    readHeads();
    if (!c_.ok()) return c_.status();
    VTA_RETURN_IF_ERROR(readLengths());
    turn();
    const Value keys = cached(c_.optional(3), key_);
    const Value values = cached(c_.optional(4), value_);
    VTA_RETURN_IF_ERROR(c_.finish(attend(keys, values)));
    VTA_RETURN_IF_ERROR(c_.finish(keys, 1));
    return c_.finish(values, 2);
  }

 private:
  mlir::Type indexType() { return node_.ir().getI64Type(); }
  Value integer(int64_t value) { return c_.number(static_cast<double>(value), indexType()); }

  /// Queries, keys and values by heads, normalised where the node has weights for it.
  void readHeads() {
    const int64_t heads = node_.integer("num_heads", 0);
    const int64_t key_heads = node_.integer("kv_num_heads", 0);
    const Value query = c_.input(0, "query");
    if (c_.ok() && (heads < 1 || key_heads < 1 || heads % key_heads != 0 || c_.rank(query) != 3)) {
      c_.fail(invalidArgument(fmt::format(
          "{} heads of queries and {} of keys do not fit, or 'query' has not three dimensions",
          heads, key_heads)));
    }
    if (!c_.ok()) return;
    shared_ = heads / key_heads;
    if (node_.hasInput(1)) {
      query_ = byHeads(c_, query, heads, "num_heads");
      key_ = byHeads(c_, c_.input(1, "key"), key_heads, "kv_num_heads");
      value_ = byHeads(c_, c_.input(2, "value"), key_heads, "kv_num_heads");
    } else {
      const Value all = byHeads(c_, query, heads + 2 * key_heads, "num_heads");
      query_ = c_.slice(all, 1, 0, heads);
      key_ = c_.slice(all, 1, heads, heads + key_heads);
      value_ = c_.slice(all, 1, heads + key_heads, heads + 2 * key_heads);
    }
    constexpr size_t kQueryNorm = 14, kKeyNorm = 15;
    query_ = normalised(query_, kQueryNorm);
    key_ = normalised(key_, kKeyNorm);
  }

  Value normalised(Value heads, size_t weight_index) {
    const Value weight = c_.optional(weight_index);
    if (!weight || !c_.ok()) return heads;
    const double epsilon = node_.number("qk_norm_epsilon", 1e-6);
    return c_.mul(rootMeanSquareNormalized(c_, heads, {3}, epsilon), weight);
  }

  /// Sizes, and how many keys each sequence of the batch has seen before.
  Status readLengths() {
    const Shape query = c_.shape(query_);
    batch_ = query[0];
    length_ = query[2];
    size_ = query[3];
    if (const Value past = c_.optional(3)) {
      if (c_.rank(past) != 4) return invalidArgument("'past_key' needs four dimensions");
      past_ = c_.shape(past)[2];
    }
    VTA_ASSIGN_OR_RETURN(const Shape total, node_.integers(6, "total_sequence_length"));
    if (total.size() != 1 || total[0] < length_ || total[0] > past_ + length_) {
      return invalidArgument(fmt::format(
          "'total_sequence_length' does not fit {} new keys after at most {}", length_, past_));
    }
    total_ = total[0];
    // The first step of a sequence looks at nothing in the cache.
    if (total_ == length_) {
      seen_ = c_.reshape(integer(0), {1, 1, 1, 1});
      return c_.status();
    }
    const Value last = c_.cast(c_.input(5, "seqlens_k"), indexType());
    seen_ = c_.sub(c_.reshape(last, {batch_, 1, 1, 1}), integer(length_ - 1));
    return c_.status();
  }

  /// Rotary embeddings of the new queries and keys.
  void turn() {
    if (node_.integer("do_rotary", 0) == 0 || !c_.ok()) return;
    const Value cosines = c_.input(7, "cos_cache"), sines = c_.input(8, "sin_cache");
    if (c_.ok() && (c_.rank(cosines) != 2 || c_.shape(cosines) != c_.shape(sines))) {
      c_.fail(invalidArgument("'cos_cache' and 'sin_cache' are not matrices of one shape"));
    }
    if (!c_.ok()) return;
    const Value first = c_.reshape(seen_, {c_.shape(seen_)[0], 1});
    const Value positions = c_.add(first, c_.positions(length_, 1, 2, indexType()));
    const Value cos = anglesAt(c_, cosines, positions), sin = anglesAt(c_, sines, positions);
    const RotaryForm form = {2 * c_.shape(cosines)[1], node_.integer("rotary_interleaved", 0) != 0};
    query_ = rotated(c_, query_, cos, sin, form);
    key_ = rotated(c_, key_, cos, sin, form);
  }

  /// What the cache holds after this step: what it has seen, `fresh`, and zeros.
  Value cached(Value past, Value fresh) {
    if (!c_.ok()) return {};
    const int64_t room = std::max(total_, past_);
    const Shape shape = c_.shape(fresh);
    if (total_ == length_) return c_.pad(fresh, {0, 0, 0, 0}, {0, 0, room - length_, 0});
    // Rows of all heads, those of one sequence after those of the other.
    Value rows = c_.concat({past, fresh}, 2);
    rows = c_.transpose(c_.pad(rows, {0, 0, 0, 0}, {0, 0, 1, 0}), {0, 2, 1, 3});
    const int64_t per_sequence = past_ + length_ + 1, width = shape[1] * shape[3];
    rows = c_.reshape(rows, {batch_ * per_sequence, width});
    const Value seen = c_.reshape(seen_, {batch_, 1});
    const Value place = c_.positions(room, 1, 2, indexType());
    const Value behind = c_.sub(place, seen);
    const Value zeros = integer(per_sequence - 1);
    Value row = c_.where(c_.less(behind, integer(length_)), c_.add(behind, integer(past_)), zeros);
    row = c_.where(c_.less(place, seen), place, row);
    const Value sequence = c_.positions(batch_, 0, 2, indexType());
    row = c_.add(row, c_.scale(sequence, static_cast<double>(per_sequence)));
    const Value all = c_.reshape(c_.gather(rows, row, 0), {batch_, room, shape[1], shape[3]});
    return c_.transpose(all, {0, 2, 1, 3});
  }

  /// What is added to the scores so that queries see no keys behind them, and of those before them
  /// the nearest ones where the node says so.
  Value mask() {
    constexpr double kNever = -std::numeric_limits<double>::infinity();
    const mlir::Type real = graph::elementTypeOf(query_);
    const bool is_causal = node_.integer("causal", 1) != 0;
    const Value key = c_.positions(total_, 3, 4, indexType());
    const Value step = is_causal ? c_.positions(length_, 2, 4, indexType()) : integer(length_ - 1);
    const Value last = c_.add(seen_, step);  // the last key that a query sees
    const Value none = c_.number(0, real), never = c_.number(kNever, real);
    Value added = c_.where(c_.less(last, key), never, none);
    const int64_t window = node_.integer("local_window_size", -1);
    if (window < 0 || !is_causal) return added;
    const Value first = c_.sub(last, integer(window - 1));
    return c_.where(c_.less(key, first), never, added);
  }

  Value attend(Value keys, Value values) {
    if (!c_.ok()) return {};
    const double given = node_.number("scale", 0);
    const double scale = given != 0 ? given : 1 / std::sqrt(static_cast<double>(size_));
    const auto of_all_heads = [&](Value cache) {
      return repeatedHeads(c_, c_.slice(cache, 2, 0, total_), shared_);
    };
    Value scores = c_.matmul(query_, c_.transpose(of_all_heads(keys), {0, 1, 3, 2}));
    scores = c_.scale(scores, scale);
    if (const double cap = node_.number("softcap", 0); cap > 0) {
      scores = c_.scale(c_.unary(graph::UnaryKind::tanh, c_.scale(scores, 1 / cap)), cap);
    }
    constexpr size_t kBias = 10;
    if (const Value bias = c_.optional(kBias)) scores = c_.add(scores, bias);
    scores = c_.add(scores, mask());
    return withoutHeads(c_, c_.matmul(weights(scores), of_all_heads(values)));
  }

  /// The softmax of the scores, with one more term in its sum where the node says so.
  Value weights(Value scores) {
    constexpr size_t kHeadSink = 11;
    Value sink = c_.optional(kHeadSink);
    if (!sink && node_.integer("smooth_softmax", 0) == 0) return c_.softmax(scores, 3);
    Shape column = c_.shape(scores);
    if (!c_.ok()) return {};
    column[3] = 1;
    sink = sink ? c_.reshape(sink, {1, column[1], 1, 1}) : c_.numberLike(0, scores);
    const Value all = c_.softmax(c_.concat({scores, c_.expand(sink, column)}, 3), 3);
    return c_.slice(all, 3, 0, total_);
  }

  Node& node_;
  Composer c_;
  Value query_, key_, value_;  // [batch, heads, length, size], of this step
  Value seen_;                 // [batch or 1, 1, 1, 1]: keys of each sequence before this step
  int64_t batch_ = 0, length_ = 0, size_ = 0;
  int64_t shared_ = 1;  // heads of queries for each head of keys
  int64_t past_ = 0;    // extent of the cache before this step
  int64_t total_ = 0;   // keys of the longest sequence, with those of this step
};

Status importGroupQueryAttention(Node& node) { return GroupQueryAttention(node).run(); }

}  // namespace

std::span<const OpEntry> decoderOps() {
  static constexpr OpEntry kOps[] = {
      {"GroupQueryAttention", 1, kLatest, importGroupQueryAttention},
      {"RotaryEmbedding", 1, kLatest, importFusedRotaryEmbedding},
  };
  return kOps;
}

}  // namespace vta::compiler
