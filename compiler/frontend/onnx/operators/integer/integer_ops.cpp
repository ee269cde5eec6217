// Operators on integers whose scales are found at run time: DynamicQuantizeLinear, MatMulInteger,
// ConvInteger.
#include <fmt/format.h>

#include "compiler/dialects/graph/constant_tensor.h"
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

/// With X = x - p and W = w - q, and zeros as padding: X*W = x*w - p (1*w) - q (x*1) + p q (1*1).
Status importConvInteger(Node& node) {
  Composer c(node);
  const Shifted x = toSigned(c, c.input(0, "x")), w = toSigned(c, c.input(1, "w"));
  if (c.ok() && (c.rank(x.values) < 3 || c.rank(w.values) < 3)) {
    return invalidArgument("the input and the weight need three dimensions or more");
  }
  Value p = zeroPoint(c, c.optional(2), x.offset), q = zeroPoint(c, c.optional(3), w.offset);
  if (!c.ok()) return c.status();
  if (q && c.rank(q) == 1) {
    // One zero point for each output channel.
    Shape per_channel(c.rank(x.values) - 1, 1);
    per_channel[0] = c.shape(q)[0];
    q = c.reshape(q, per_channel);
  }
  const auto product = [&](Value image, Value weight) {
    return c.ok() ? c.take(convolution(node, image, weight, {})) : Value();
  };
  Value sum = product(x.values, w.values);
  if (p) sum = c.sub(sum, c.mul(p, product(ones(c, x.values, true), w.values)));
  if (q) {
    const Value all = ones(c, w.values, false);
    Value rest = product(x.values, all);
    if (p) rest = c.sub(rest, c.mul(p, product(ones(c, x.values, true), all)));
    sum = c.sub(sum, c.mul(q, rest));
  }
  return c.finish(sum);
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
