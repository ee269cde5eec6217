// Constant, ConstantOfShape, Range.
#include <fmt/format.h>

#include <cmath>

#include "compiler/dialects/graph/constant_tensor.h"
#include "compiler/frontend/onnx/compose.h"
#include "compiler/frontend/onnx/op_table.h"
#include "compiler/frontend/onnx/rows/bounded_shape.h"
#include "compiler/frontend/onnx/rows/counting.h"

namespace vta::compiler {
namespace {

using graph::Shape;
using mlir::DenseElementsAttr;
using mlir::RankedTensorType;
using mlir::Value;

Status importConstant(Node& node) {
  if (const onnx::TensorProto* tensor = node.tensor("value")) {
    VTA_ASSIGN_OR_RETURN(DenseElementsAttr value, node.elementsOf(*tensor));
    node.setOutput(0, node.build().constant(value));
  } else if (node.hasAttribute("sparse_value")) {
    VTA_ASSIGN_OR_RETURN(DenseElementsAttr value, node.sparseElements("sparse_value"));
    node.setOutput(0, node.build().constant(value));
  } else if (node.hasAttribute("value_int")) {
    auto type = RankedTensorType::get({}, node.ir().getI64Type());
    node.setOutput(
        0, node.build().constant(DenseElementsAttr::get(type, node.integer("value_int", 0))));
  } else if (std::optional<Shape> integers = node.integerList("value_ints")) {
    node.setOutput(0, node.build().constant(*integers));
  } else if (node.hasAttribute("value_float")) {
    node.setOutput(0, node.build().scalar(node.number("value_float", 0), node.ir().getF32Type()));
  } else if (std::optional<std::vector<double>> numbers = node.numberList("value_floats")) {
    std::vector<float> values(numbers->begin(), numbers->end());
    auto type = RankedTensorType::get({std::ssize(values)}, node.ir().getF32Type());
    node.setOutput(
        0, node.build().constant(DenseElementsAttr::get(type, llvm::ArrayRef<float>(values))));
  } else {
    return unsupported("its value is neither a tensor nor numbers");
  }
  return {};
}

Status importConstantOfShape(Node& node) {
  Composer c(node);
  VTA_ASSIGN_OR_RETURN(const BoundedShape wanted, readBoundedShape(c, 0, "input"));
  const Shape& shape = wanted.shape;
  int64_t count = graph::elementCount(shape);
  if (count < 0 || count > int64_t{1} << 32) {
    return invalidArgument("the shape " + graph::shapeText(shape) + " is not legal");
  }
  mlir::Type type = node.ir().getF32Type();
  mlir::Attribute element = node.ir().getF32FloatAttr(0);
  if (const onnx::TensorProto* tensor = node.tensor("value")) {
    VTA_ASSIGN_OR_RETURN(DenseElementsAttr value, node.elementsOf(*tensor));
    if (value.getNumElements() != 1) return invalidArgument("'value' needs one element");
    type = value.getElementType();
    element = *value.getValues<mlir::Attribute>().begin();
  }
  auto result_type = RankedTensorType::get(shape, type);
  bool is_empty = count == 0;
  const Value filled = node.build().constant(
      is_empty ? DenseElementsAttr::get(result_type, llvm::ArrayRef<mlir::Attribute>())
               : DenseElementsAttr::get(result_type, element));
  return wanted.rows ? finishCounted(c, filled, *wanted.rows) : c.finish(filled);
}

/// From 0 or another known start to a limit that is computed and has a known most.
Status importComputedRange(Node& node) {
  Composer c(node);
  const Value start = c.input(0, "start"), limit = c.input(1, "limit");
  VTA_ASSIGN_OR_RETURN(const Shape first, node.integers(0, "start"));
  VTA_ASSIGN_OR_RETURN(const Shape delta, node.integers(2, "delta"));
  VTA_ASSIGN_OR_RETURN(const std::vector<Range> last, node.ranges(1, "limit"));
  if (first.size() != 1 || delta.size() != 1 || last.size() != 1) {
    return invalidArgument("'start', 'limit' and 'delta' are scalars");
  }
  if (delta[0] < 1) return node.hasToBeConstant(1, "limit", ", unless 'delta' is positive");
  if (!last[0].hasMost()) return node.hasToBeConstant(1, "limit", kOrElse);
  const __int128 longest = __int128{last[0].high} - first[0];
  const auto most = static_cast<int64_t>(
      std::clamp<__int128>((longest + delta[0] - 1) / delta[0], 0, int64_t{1} << 40));
  if (most > 1 << 24) return unsupported(fmt::format("up to {} elements are too many", most));
  const Value distance = c.sub(countAt(c, limit, 0), countOf(c, first[0]));
  const Value count =
      clampedCount(c, c.div(c.add(distance, countOf(c, delta[0] - 1)), countOf(c, delta[0])), most);
  const mlir::Type i64 = node.ir().getI64Type();
  const Value steps = c.mul(c.positions(most, 0, 1, i64), countOf(c, delta[0]));
  const Value output = c.cast(c.add(steps, countOf(c, first[0])), graph::elementTypeOf(start));
  return finishCounted(c, output, {0, count});
}

Status importRange(Node& node) {
  const Value given = node.optionalInput(1);
  if (given && !graph::constantOf(given) && graph::elementTypeOf(given).isIntOrIndex()) {
    return importComputedRange(node);
  }
  std::vector<double> bounds;
  for (const char* name : {"start", "limit", "delta"}) {
    VTA_ASSIGN_OR_RETURN(std::vector<double> value, node.numbers(bounds.size(), name));
    if (value.size() != 1) return invalidArgument(fmt::format("'{}' is not a scalar", name));
    bounds.push_back(value[0]);
  }
  auto [start, limit, delta] = std::tie(bounds[0], bounds[1], bounds[2]);
  if (delta == 0) return invalidArgument("'delta' is 0");
  double count = std::max(std::ceil((limit - start) / delta), 0.0);
  if (!(count <= 1 << 24)) return unsupported(fmt::format("{} elements are too many", count));
  std::vector<double> values;
  for (int64_t i = 0; i < static_cast<int64_t>(count); ++i) values.push_back(start + i * delta);
  mlir::Type type = graph::elementTypeOf(node.optionalInput(0));
  graph::ConstantTensor result(RankedTensorType::get({std::ssize(values)}, type));
  if (result.isFloat()) {
    result.setDoubles(values);
  } else {
    result.setIntegers(std::vector<int64_t>(values.begin(), values.end()));
  }
  node.setOutput(0, node.build().constant(result.toAttribute()));
  return {};
}

}  // namespace

std::span<const OpEntry> constantOps() {
  static constexpr OpEntry kOps[] = {
      {"Constant", 1, kLatest, importConstant},
      {"ConstantOfShape", 9, kLatest, importConstantOfShape},
      {"Range", 11, kLatest, importRange},
  };
  return kOps;
}

}  // namespace vta::compiler
