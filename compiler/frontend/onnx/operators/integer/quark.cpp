// Quantisers of AMD's Quark, and of Vitis AI before it.
#include <cmath>

#include "compiler/dialects/graph/constant_tensor.h"
#include "compiler/frontend/onnx/op_table.h"
#include "compiler/frontend/onnx/operators/integer/quantization.h"
#include "compiler/frontend/onnx/operators/integer/quantize.h"

namespace vta::compiler {
namespace {

using mlir::Value;

/// Signed integers of `bit_width` bits, if the node has that attribute.
Value withinBitWidth(Composer& c, Value integers) {
  const int64_t bits = c.node().integer("bit_width", 0);
  if (bits == 0 || !c.ok()) return integers;
  const auto type = mlir::dyn_cast<mlir::IntegerType>(graph::elementTypeOf(integers));
  if (!type || type.isUnsigned() || bits < 2 || bits > type.getWidth()) {
    c.fail(invalidArgument("its bit_width does not fit the type of its integers"));
    return {};
  }
  const double span = std::exp2(static_cast<double>(bits - 1));
  return within(c, integers, -span, span - 1);
}

Status importBoundedQuantize(Node& node) {
  VTA_RETURN_IF_ERROR(importQuantizeLinear(node));
  Composer c(node);
  return c.finish(withinBitWidth(c, node.outputs()[0]));
}

Status importBoundedDequantize(Node& node) {
  Composer c(node);
  const Value integers = withinBitWidth(c, c.input(0, "x"));
  if (!c.ok()) return c.status();
  node.replaceInput(0, integers);
  return importDequantizeLinear(node);
}

/// Rounds to integers and back.
Status importFixNeuron(Node& node) {
  VTA_RETURN_IF_ERROR(importBoundedQuantize(node));
  node.replaceInput(0, node.outputs()[0]);
  return importDequantizeLinear(node);
}

}  // namespace

std::span<const OpEntry> quarkOps() {
  static constexpr OpEntry kOps[] = {
      {"DequantizeLinear", 1, kLatest, importBoundedDequantize},
      {"ExtendedDequantizeLinear", 1, kLatest, importDequantizeLinear},
      {"ExtendedQuantizeLinear", 1, kLatest, importQuantizeLinear},
      {"FixNeuron", 1, kLatest, importFixNeuron},
      {"QuantizeLinear", 1, kLatest, importBoundedQuantize},
      {"VaiDeQuantize", 1, kLatest, importBoundedDequantize},
      {"VaiQuantize", 1, kLatest, importBoundedQuantize},
      {"VitisDequantizeLinear", 1, kLatest, importDequantizeLinear},
      {"VitisQuantizeLinear", 1, kLatest, importQuantizeLinear},
  };
  return kOps;
}

}  // namespace vta::compiler
