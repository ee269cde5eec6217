// Operators on integers whose scales are found at run time: DynamicQuantizeLinear, MatMulInteger,
// ConvInteger.
#include <iterator>
#include <optional>
#include <vector>

#include "compiler/dialects/graph/constant_tensor.h"
#include "compiler/dialects/graph/graph.h"
#include "compiler/frontend/onnx/op_table.h"
#include "compiler/frontend/onnx/operators/integer/quantize.h"
#include "compiler/frontend/onnx/operators/layers.h"

namespace vta::compiler {
namespace {

using graph::Shape;
using mlir::Value;

Status importDynamicQuantizeLinear(Node& node) {
  Composer c(node);
  const DynamicallyQuantized q = quantizedDynamically(c, c.input(0, "x"));
  VTA_RETURN_IF_ERROR(c.finish(q.output, 0));
  VTA_RETURN_IF_ERROR(c.finish(q.scale, 1));
  return c.finish(q.zero_point, 2);
}

Status importMatMulInteger(Node& node) {
  Composer c(node);
  return c.finish(
      integerProduct(c, c.input(0, "A"), c.input(1, "B"), c.optional(2), c.optional(3)));
}

/// Integers as i8, and what was taken from them.
struct Shifted {
  Value values;
  double offset = 0;
};

Shifted toSigned(Composer& c, Value values) {
  if (!c.ok() || graph::elementTypeOf(values).isSignlessInteger(8)) return {values, 0};
  const mlir::Type i32 = c.node().ir().getI32Type(), i8 = c.node().ir().getI8Type();
  return {c.cast(c.sub(c.cast(values, i32), c.number(128, i32)), i8), 128};
}

/// The zero point as it is after `offset` was taken, in i32; null if it is the constant 0.
Value zeroPoint(Composer& c, Value given, double offset) {
  const mlir::Type i32 = c.node().ir().getI32Type();
  Value value = given ? c.cast(given, i32) : c.number(0, i32);
  value = c.sub(value, c.number(offset, i32));
  if (!c.ok()) return {};
  const mlir::DenseElementsAttr known = graph::constantOf(value);
  if (!known) return value;
  for (int64_t element : graph::ConstantTensor(known).asIntegers()) {
    if (element != 0) return value;
  }
  return {};
}

/// A tensor of the shape of `value` whose elements are 1, for one image.
Value ones(Composer& c, Value value, bool is_image) {
  Shape shape = c.shape(value);
  if (!c.ok()) return {};
  if (is_image) shape[0] = 1;
  return c.filled(shape, 1, c.node().ir().getI8Type());
}

/// One zero point for each output channel, to be broadcast against an image's channels.
Value perChannel(Composer& c, Value value, int64_t rank) {
  if (!c.ok() || !value || c.rank(value) != 1) return value;
  Shape shape(rank - 1, 1);
  shape[0] = c.shape(value)[0];
  return c.reshape(value, shape);
}

/// Constant weights less their zero points, if that fits 8 bits: there is no zero point then.
void subtractZeroPoints(Composer& c, Value& weights, Value& zero_points) {
  if (!c.ok() || !zero_points) return;
  const mlir::DenseElementsAttr given = graph::constantOf(weights);
  const mlir::DenseElementsAttr zeros = graph::constantOf(zero_points);
  if (!given || !zeros) return;
  std::vector<int64_t> values = graph::ConstantTensor(given).asIntegers();
  const std::vector<int64_t> subtracted = graph::ConstantTensor(zeros).asIntegers();
  const size_t filter = values.size() / static_cast<size_t>(given.getType().getShape()[0]);
  if (subtracted.size() != 1 && subtracted.size() * filter != values.size()) return;
  for (size_t i = 0; i < values.size(); ++i) {
    values[i] -= subtracted[subtracted.size() == 1 ? 0 : i / filter];
    if (values[i] < -128 || values[i] > 127) return;
  }
  weights = c.integers(c.shape(weights), values, c.node().ir().getI8Type());
  zero_points = {};
}

/// A convolution of 8-bit integers with another number than 0 as padding.
Value paddedConvolution(Composer& c, Value image, Value weight, int64_t pad_value) {
  if (!c.ok()) return {};
  const Value result = c.take(convolution(c.node(), image, weight, {}));
  Value value = result;  // of a sequence, it is a reshape of that of an image
  while (value && !value.getDefiningOp<graph::ConvOp>() && value.getDefiningOp()) {
    value = value.getDefiningOp()->getOperand(0);
  }
  auto conv = value ? value.getDefiningOp<graph::ConvOp>() : graph::ConvOp();
  if (conv) conv.setPadValue(pad_value);
  return result;
}

/// What `build` makes counts as no multiplications of the model.
template <typename Build>
Value uncounted(Composer& c, Build build) {
  mlir::Block* block = c.node().ir().getInsertionBlock();
  mlir::Operation* before = block->empty() ? nullptr : &block->back();
  const Value result = build();
  for (auto op = before ? std::next(before->getIterator()) : block->begin(); op != block->end();
       ++op) {
    if (mlir::isa<graph::ConvOp, graph::MatMulOp>(*op)) {
      op->setAttr(graph::kMacsAttr, c.node().ir().getI64IntegerAttr(0));
    }
  }
  return result;
}

/// The zero point as a number that can be padding; none if it is not constant.
std::optional<int64_t> asPadding(Composer& c, Value image, Value zero_point) {
  if (!c.ok() || c.rank(image) > 4) return std::nullopt;
  if (!zero_point) return 0;
  const mlir::DenseElementsAttr known = graph::constantOf(zero_point);
  if (!known || known.getNumElements() != 1) return std::nullopt;
  return graph::ConstantTensor(known).asIntegers().front();
}

/// With X = x - p and W = w - q, and zeros as padding, which are p in x:
/// X*W = x*w - p sum(w) - q (x*1 - p n), where n is the number of weights of a filter.
Value convolutionWithPadding(Composer& c, Value x, Value w, int64_t p, Value q) {
  Value sum = paddedConvolution(c, x, w, p);
  const mlir::Type i32 = c.node().ir().getI32Type();
  const int64_t rank = c.rank(x);
  Shape filter;
  for (int64_t axis = 1; axis < c.rank(w); ++axis) filter.push_back(axis);
  if (p != 0) {
    const Value sums = perChannel(c, c.sum(c.cast(w, i32), filter), rank);
    sum = c.sub(sum, c.scale(sums, static_cast<double>(p)));
  }
  if (!q) return sum;
  Value rest = uncounted(c, [&] { return paddedConvolution(c, x, ones(c, w, false), p); });
  if (!c.ok()) return {};
  const int64_t weights = graph::elementCount(c.shape(w)) / c.shape(w)[0];
  rest = c.sub(rest, c.number(static_cast<double>(p * weights), i32));
  return c.sub(sum, c.mul(q, rest));
}

/// The same where padding is 0 in x, too: X*W = x*w - p (1*w) - q (x*1) + p q (1*1).
Value convolutionWithZeros(Composer& c, Value x, Value w, Value p, Value q) {
  const auto product = [&](Value image, Value weight) {
    return c.ok() ? c.take(convolution(c.node(), image, weight, {})) : Value();
  };
  Value sum = product(x, w);
  return uncounted(c, [&] {
    if (p) sum = c.sub(sum, c.mul(p, product(ones(c, x, true), w)));
    if (!q) return sum;
    const Value all = ones(c, w, false);
    Value rest = product(x, all);
    if (p) rest = c.sub(rest, c.mul(p, product(ones(c, x, true), all)));
    return c.sub(sum, c.mul(q, rest));
  });
}

Status importConvInteger(Node& node) {
  Composer c(node);
  Shifted x = toSigned(c, c.input(0, "x")), w = toSigned(c, c.input(1, "w"));
  if (c.ok() && (c.rank(x.values) < 3 || c.rank(w.values) < 3)) {
    return invalidArgument("the input and the weight need three dimensions or more");
  }
  const Value p = zeroPoint(c, c.optional(2), x.offset);
  Value q = zeroPoint(c, c.optional(3), w.offset);
  subtractZeroPoints(c, w.values, q);
  if (!c.ok()) return c.status();
  q = perChannel(c, q, c.rank(x.values));
  if (const auto padding = asPadding(c, x.values, p)) {
    return c.finish(convolutionWithPadding(c, x.values, w.values, *padding, q));
  }
  return c.finish(convolutionWithZeros(c, x.values, w.values, p, q));
}

}  // namespace

std::span<const OpEntry> integerOps() {
  static constexpr OpEntry kOps[] = {
      {"ConvInteger", 10, kLatest, importConvInteger},
      {"DynamicQuantizeLinear", 11, kLatest, importDynamicQuantizeLinear},
      {"MatMulInteger", 10, kLatest, importMatMulInteger},
  };
  return kOps;
}

}  // namespace vta::compiler
