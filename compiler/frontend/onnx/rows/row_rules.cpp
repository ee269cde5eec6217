#include "compiler/frontend/onnx/rows/row_rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>

#include "compiler/frontend/onnx/op_table.h"
#include "compiler/frontend/onnx/rows/counting.h"

namespace vta::compiler {
namespace {

using graph::Shape;
using mlir::Value;

/// An input of which a part is valid.
struct Counted {
  size_t index = 0;
  Value value;
  RowCount rows;
};
using CountedInputs = std::vector<Counted>;

/// The axis of the outputs along which a part is valid; nothing if all of them is.
using RowAxis = std::optional<int64_t>;

Status mixes(const Counted& input) {
  return unsupported(dependsOnData(input.index, input.rows) +
                     ", and this operator does not compute each of them by itself");
}

/// Operators that apply a rule to input 0 alone need all others whole.
Status checkOnlyFirst(const CountedInputs& inputs) {
  if (inputs.size() == 1 && inputs[0].index == 0) return {};
  return mixes(inputs.back());
}

/// Element by element, with broadcasting: no other input has an extent of its own along the axis.
Result<RowAxis> elementwise(Node& node, const CountedInputs& inputs) {
  int64_t rank = 0;
  for (size_t i = 0; i < node.inputCount(); ++i) {
    if (const Value value = node.optionalInput(i)) {
      rank = std::max<int64_t>(rank, std::ssize(graph::shapeOf(value)));
    }
  }
  const int64_t from_end = std::ssize(graph::shapeOf(inputs[0].value)) - inputs[0].rows.axis;
  for (size_t i = 0; i < node.inputCount(); ++i) {
    const Value value = node.optionalInput(i);
    if (!value) continue;
    const auto counted = std::ranges::find(inputs, i, &Counted::index);
    const graph::ShapeRef shape = graph::shapeOf(value);
    const int64_t axis = std::ssize(shape) - from_end;
    if (counted != inputs.end()) {
      if (counted->rows.axis == axis) continue;
      return unsupported("two dimensions of its result would have sizes that depend on data");
    }
    if (axis >= 0 && shape[axis] != 1) {
      return unsupported(fmt::format("{}, but input {} has {} there",
                                     dependsOnData(inputs[0].index, inputs[0].rows), i,
                                     shape[axis]));
    }
  }
  return RowAxis(rank - from_end);
}

Result<RowAxis> sameAxis(Node&, const CountedInputs& inputs) {
  VTA_RETURN_IF_ERROR(checkOnlyFirst(inputs));
  return RowAxis(inputs[0].rows.axis);
}

/// Softmax and the like work along one axis; before opset 13 along all from it on.
Result<RowAxis> alongAxis(Node& node, const CountedInputs& inputs) {
  VTA_RETURN_IF_ERROR(checkOnlyFirst(inputs));
  const bool is_old = node.opset() < 13 && node.opType() != "LpNormalization";
  VTA_ASSIGN_OR_RETURN(const int64_t axis,
                       normalizeAxis(node.integer("axis", is_old ? 1 : -1),
                                     std::ssize(graph::shapeOf(inputs[0].value))));
  const int64_t rows = inputs[0].rows.axis;
  if (is_old ? rows >= axis : rows == axis) return mixes(inputs[0]);
  return RowAxis(rows);
}

/// LayerNormalization and the like normalise over the last dimensions.
Result<RowAxis> overLast(Node& node, const CountedInputs& inputs) {
  VTA_RETURN_IF_ERROR(checkOnlyFirst(inputs));
  VTA_ASSIGN_OR_RETURN(
      const int64_t axis,
      normalizeAxis(node.integer("axis", -1), std::ssize(graph::shapeOf(inputs[0].value))));
  if (inputs[0].rows.axis >= axis) return mixes(inputs[0]);
  return RowAxis(inputs[0].rows.axis);
}

/// Convolutions, poolings: images of a batch are independent.
Result<RowAxis> batch(Node&, const CountedInputs& inputs) {
  VTA_RETURN_IF_ERROR(checkOnlyFirst(inputs));
  if (inputs[0].rows.axis != 0) return mixes(inputs[0]);
  return RowAxis(0);
}

Result<RowAxis> transpose(Node& node, const CountedInputs& inputs) {
  const int64_t rank = std::ssize(graph::shapeOf(inputs[0].value));
  Shape reversed(rank);
  std::iota(reversed.rbegin(), reversed.rend(), 0);
  const Shape permutation = node.integerList("perm").value_or(reversed);
  const auto found = std::ranges::find(permutation, inputs[0].rows.axis);
  if (found == permutation.end()) return invalidArgument("'perm' is no permutation");
  return RowAxis(found - permutation.begin());
}

/// Rows of the left side, columns of the right one.
Result<RowAxis> matmul(Node& node, const CountedInputs& inputs) {
  if (inputs.size() != 1 || inputs[0].index > 1) return mixes(inputs.back());
  VTA_ASSIGN_OR_RETURN(const Value lhs, node.input(0, "A"));
  VTA_ASSIGN_OR_RETURN(const Value rhs, node.input(1, "B"));
  const int64_t left = std::ssize(graph::shapeOf(lhs)), right = std::ssize(graph::shapeOf(rhs));
  const bool is_left = inputs[0].index == 0;
  const int64_t from_end = (is_left ? left : right) - inputs[0].rows.axis;
  // Of matrices; the entries of a batch would have to be as many on both sides.
  if (left < 2 || right < 2 || from_end != (is_left ? 2 : 1)) return mixes(inputs[0]);
  return RowAxis(std::max(left, right) - from_end);
}

Result<RowAxis> gemm(Node& node, const CountedInputs& inputs) {
  VTA_RETURN_IF_ERROR(checkOnlyFirst(inputs));
  const int64_t rows = node.integer("transA", 0) != 0 ? 1 : 0;
  const Value addend = node.optionalInput(2);
  const bool broadcasts =
      !addend || graph::shapeOf(addend).size() < 2 || graph::shapeOf(addend)[0] == 1;
  if (inputs[0].rows.axis != rows || !broadcasts) return mixes(inputs[0]);
  return RowAxis(0);
}

/// The axes of a reduction: an attribute, or an input since the opset in which that became one.
Result<Shape> reducedAxes(Node& node, int64_t rank) {
  Shape axes = node.integerList("axes").value_or(Shape());
  if (node.hasInput(1)) {
    VTA_ASSIGN_OR_RETURN(axes, node.integers(1, "axes"));
  }
  if (axes.empty() && node.integer("noop_with_empty_axes", 0) == 0) {
    axes.resize(rank);
    std::iota(axes.begin(), axes.end(), 0);
  }
  return normalizeAxes(std::move(axes), rank);
}

/// What reduces to the same with it as without it; nothing where there is no such number.
std::optional<double> neutralElement(const std::string& op, mlir::Type type) {
  const bool is_float = mlir::isa<mlir::FloatType>(type);
  if (op == "ReduceSum" || op == "ReduceL1" || op == "ReduceL2" || op == "ReduceSumSquare")
    return 0;
  if (op == "ReduceProd") return 1;
  if (op == "ReduceMax" && is_float) return -std::numeric_limits<double>::infinity();
  if (op == "ReduceMin" && is_float) return std::numeric_limits<double>::infinity();
  return std::nullopt;
}

Result<RowAxis> reduce(Node& node, const CountedInputs& inputs) {
  VTA_RETURN_IF_ERROR(checkOnlyFirst(inputs));
  const Counted& input = inputs[0];
  VTA_ASSIGN_OR_RETURN(const Shape axes,
                       reducedAxes(node, std::ssize(graph::shapeOf(input.value))));
  if (!std::ranges::binary_search(axes, input.rows.axis)) {
    const bool keeps = node.integer("keepdims", 1) != 0;
    const auto in_front = std::ranges::lower_bound(axes, input.rows.axis) - axes.begin();
    return RowAxis(input.rows.axis - (keeps ? 0 : in_front));
  }
  const auto neutral = neutralElement(node.opType(), graph::elementTypeOf(input.value));
  if (!neutral) return mixes(input);
  Composer c(node);
  const Value filler = c.numberLike(*neutral, input.value);
  node.replaceInput(0, withFiller(c, input.value, input.rows, filler));
  VTA_RETURN_IF_ERROR(c.status());
  return RowAxis();
}

/// ArgMax and ArgMin, of which the first of equal elements wins: fillers come last.
Result<RowAxis> argument(Node& node, const CountedInputs& inputs) {
  const Counted& input = inputs[0];
  VTA_ASSIGN_OR_RETURN(const int64_t axis, normalizeAxis(node.integer("axis", 0),
                                                         std::ssize(graph::shapeOf(input.value))));
  const bool keeps = node.integer("keepdims", 1) != 0;
  if (axis == input.rows.axis) return mixes(input);
  return RowAxis(input.rows.axis - (!keeps && axis < input.rows.axis ? 1 : 0));
}

Result<Shape> listedAxes(Node& node) {
  if (node.opset() >= 13) return node.integers(1, "axes");
  return node.integerList("axes").value_or(Shape());
}

Result<RowAxis> unsqueeze(Node& node, const CountedInputs& inputs) {
  VTA_ASSIGN_OR_RETURN(Shape axes, listedAxes(node));
  const auto rank = static_cast<int64_t>(graph::shapeOf(inputs[0].value).size() + axes.size());
  VTA_ASSIGN_OR_RETURN(axes, normalizeAxes(std::move(axes), rank));
  int64_t axis = inputs[0].rows.axis;
  for (const int64_t added : axes) axis += added <= axis ? 1 : 0;
  return RowAxis(axis);
}

Result<RowAxis> squeeze(Node& node, const CountedInputs& inputs) {
  const graph::ShapeRef shape = graph::shapeOf(inputs[0].value);
  Shape axes;
  const bool has_axes = node.opset() < 13 ? node.hasAttribute("axes") : node.hasInput(1);
  if (has_axes) {
    VTA_ASSIGN_OR_RETURN(axes, listedAxes(node));
    VTA_ASSIGN_OR_RETURN(axes, normalizeAxes(std::move(axes), std::ssize(shape)));
  } else {
    for (int64_t i = 0; i < std::ssize(shape); ++i) {
      if (shape[i] == 1) axes.push_back(i);
    }
  }
  // There may be none, or one of at most one.
  if (std::ranges::binary_search(axes, inputs[0].rows.axis)) return mixes(inputs[0]);
  const auto in_front = std::ranges::lower_bound(axes, inputs[0].rows.axis) - axes.begin();
  return RowAxis(inputs[0].rows.axis - in_front);
}

/// GatherND picks by index tuples, which are independent of each other.
Result<RowAxis> gatherNd(Node& node, const CountedInputs& inputs) {
  const bool picks = inputs.size() == 1 && inputs[0].index == 1 &&
                     node.integer("batch_dims", 0) == 0 &&
                     inputs[0].rows.axis + 1 < std::ssize(graph::shapeOf(inputs[0].value));
  if (!picks) return mixes(inputs[0]);
  return RowAxis(inputs[0].rows.axis);
}

/// Along another axis than the one it picks along, or picked by counted indices.
Result<RowAxis> gatherElements(Node& node, const CountedInputs& inputs) {
  const graph::ShapeRef shape = graph::shapeOf(inputs[0].value);
  VTA_ASSIGN_OR_RETURN(const int64_t axis,
                       normalizeAxis(node.integer("axis", 0), std::ssize(shape)));
  const int64_t rows = inputs[0].rows.axis;
  const bool by_indices = inputs.size() == 1 && inputs[0].index == 1;
  const bool along = inputs.size() == 2 && rows != axis && inputs[1].rows.axis == rows;
  if (!by_indices && !along) return mixes(inputs[0]);
  return RowAxis(rows);
}

Result<RowAxis> split(Node& node, const CountedInputs& inputs) {
  VTA_RETURN_IF_ERROR(checkOnlyFirst(inputs));
  VTA_ASSIGN_OR_RETURN(
      const int64_t axis,
      normalizeAxis(node.integer("axis", 0), std::ssize(graph::shapeOf(inputs[0].value))));
  if (axis == inputs[0].rows.axis) return mixes(inputs[0]);
  return RowAxis(inputs[0].rows.axis);
}

/// Sums from the front on do not see what lies behind.
Result<RowAxis> cumulate(Node& node, const CountedInputs& inputs) {
  VTA_RETURN_IF_ERROR(checkOnlyFirst(inputs));
  VTA_ASSIGN_OR_RETURN(const Shape axis, node.integers(1, "axis"));
  if (axis.size() != 1) return invalidArgument("'axis' is not a scalar");
  VTA_ASSIGN_OR_RETURN(const int64_t along,
                       normalizeAxis(axis[0], std::ssize(graph::shapeOf(inputs[0].value))));
  const bool is_reversed = node.integer("reverse", 0) != 0;
  if (along == inputs[0].rows.axis && is_reversed) return mixes(inputs[0]);
  return RowAxis(inputs[0].rows.axis);
}

/// Regions of an image are sampled each by itself.
Result<RowAxis> regions(Node&, const CountedInputs& inputs) {
  for (const Counted& input : inputs) {
    if (input.index == 0 || input.rows.axis != 0) return mixes(input);
  }
  return RowAxis(0);
}

/// OneHot adds a dimension to the indices.
Result<RowAxis> oneHot(Node& node, const CountedInputs& inputs) {
  VTA_RETURN_IF_ERROR(checkOnlyFirst(inputs));
  const int64_t rank = std::ssize(graph::shapeOf(inputs[0].value)) + 1;
  VTA_ASSIGN_OR_RETURN(const int64_t axis, normalizeAxis(node.integer("axis", -1), rank));
  return RowAxis(inputs[0].rows.axis + (axis <= inputs[0].rows.axis ? 1 : 0));
}

using Rule = Result<RowAxis> (*)(Node&, const CountedInputs&);

struct NamedRule {
  std::string_view operators;  // separated by spaces
  Rule rule;
};

constexpr NamedRule kRules[] = {
    {"Dropout QuantizeLinear DequantizeLinear", sameAxis},
    {"Softmax LogSoftmax Hardmax LpNormalization", alongAxis},
    {"LayerNormalization RMSNormalization SimplifiedLayerNormalization", overLast},
    {"Conv ConvTranspose AveragePool MaxPool LpPool GlobalAveragePool GlobalMaxPool GlobalLpPool "
     "BatchNormalization InstanceNormalization GroupNormalization LRN Resize Upsample DepthToSpace "
     "SpaceToDepth",
     batch},
    {"Transpose", transpose},
    {"MatMul", matmul},
    {"Gemm", gemm},
    {"ReduceL1 ReduceL2 ReduceLogSum ReduceLogSumExp ReduceMax ReduceMean ReduceMin ReduceProd "
     "ReduceSum ReduceSumSquare",
     reduce},
    {"ArgMax ArgMin", argument},
    {"Unsqueeze", unsqueeze},
    {"Squeeze", squeeze},
    {"GatherND", gatherNd},
    {"GatherElements", gatherElements},
    {"Split", split},
    {"CumSum", cumulate},
    {"OneHot", oneHot},
    {"RoiAlign", regions},
};

/// Operators whose import looks at counts itself.
constexpr std::string_view kOwnRule =
    " Compress Concat Expand Flatten Gather If Loop NonMaxSuppression NonZero Range Reshape Shape "
    "Size Slice TopK ";

bool lists(std::string_view operators, const std::string& name) {
  return fmt::format(" {} ", operators).find(fmt::format(" {} ", name)) != std::string::npos;
}

Rule findRule(const std::string& name) {
  const auto isIn = [&](std::span<const OpEntry> ops) {
    return std::ranges::find(ops, name, &OpEntry::op_type) != ops.end();
  };
  if (isIn(unaryOps()) || isIn(binaryOps())) return elementwise;
  for (const NamedRule& rule : kRules) {
    if (lists(rule.operators, name)) return rule.rule;
  }
  return nullptr;
}

CountedInputs countedInputs(Node& node) {
  CountedInputs inputs;
  for (size_t i = 0; i < node.inputCount(); ++i) {
    const Value value = node.optionalInput(i);
    if (!value) continue;
    if (const RowCount* rows = node.rowCount(value)) inputs.push_back({i, value, *rows});
  }
  return inputs;
}

}  // namespace

Result<std::optional<RowCount>> rowsOfOutputs(Node& node) {
  const CountedInputs inputs = countedInputs(node);
  if (inputs.empty() || lists(kOwnRule, node.opType())) return std::optional<RowCount>();
  const Rule rule = findRule(node.opType());
  if (rule == nullptr) return mixes(inputs[0]);
  for (const Counted& other : inputs) {
    if (isSameCount(other.rows.count, inputs[0].rows.count)) continue;
    return unsupported(dependsOnData(inputs[0].index, inputs[0].rows) + ", and so does " +
                       dependsOnData(other.index, other.rows) + ", which may be another number");
  }
  VTA_ASSIGN_OR_RETURN(const RowAxis axis, rule(node, inputs));
  if (!axis) return std::optional<RowCount>();
  return std::optional(RowCount{*axis, inputs[0].rows.count});
}

}  // namespace vta::compiler
