// BatchNormalization, LRN, Softmax, LogSoftmax, LayerNormalization, InstanceNormalization, Dropout.
#include <fmt/format.h>

#include <algorithm>

#include "compiler/frontend/onnx/op_table.h"

namespace vta::compiler {
namespace {

using graph::BinaryKind;
using graph::Shape;
using graph::ShapeRef;
using mlir::Value;

Status importBatchNormalization(Node& node) {
  VTA_ASSIGN_OR_RETURN(Value input, node.input(0, "X"));
  std::vector<Value> parameters;
  for (const char* name : {"scale", "B", "mean", "var"}) {
    VTA_ASSIGN_OR_RETURN(Value parameter, node.input(parameters.size() + 1, name));
    parameters.push_back(parameter);
  }
  if (node.integer("training_mode", 0)) {
    return unsupported("training mode; export the model for inference");
  }
  if (!node.integer("spatial", 1)) return unsupported("spatial=0 is not supported");
  return node.finish(node.build().batchNorm(input, parameters, node.number("epsilon", 1e-5)));
}

Status importLrn(Node& node) {
  VTA_ASSIGN_OR_RETURN(Value input, node.input(0, "X"));
  if (!node.hasAttribute("size")) return invalidArgument("attribute 'size' is missing");
  return node.finish(node.build().lrn(input, node.integer("size", 1), node.number("alpha", 1e-4),
                                      node.number("beta", 0.75), node.number("bias", 1)));
}

/// Before opset 13, all dimensions from `axis` on are one.
Status importOldSoftmax(Node& node) {
  VTA_ASSIGN_OR_RETURN(Value input, node.input(0, "X"));
  ShapeRef shape = graph::shapeOf(input);
  int64_t rank = std::ssize(shape);
  int64_t axis = node.integer("axis", 1);
  if (axis != rank) {
    VTA_ASSIGN_OR_RETURN(axis, normalizeAxis(axis, rank));
  }
  bool is_log = node.opType() == "LogSoftmax";
  // With one dimension of more than one element, it is the softmax along that dimension.
  auto is_long = [](int64_t extent) { return extent != 1; };
  ShapeRef flattened = shape.subspan(axis);
  if (axis < rank && std::ranges::count_if(flattened, is_long) <= 1) {
    auto longest = std::ranges::find_if(flattened, is_long);
    int64_t only = longest == flattened.end() ? axis : axis + (longest - flattened.begin());
    return node.finish(node.build().softmax(input, only, is_log));
  }
  Shape matrix = {graph::elementCount(shape.first(axis)), graph::elementCount(flattened)};
  VTA_ASSIGN_OR_RETURN(Value rows, node.build().reshape(input, matrix));
  VTA_ASSIGN_OR_RETURN(rows, node.build().softmax(rows, 1, is_log));
  return node.finish(node.build().reshape(rows, shape));
}

Status importSoftmax(Node& node) {
  VTA_ASSIGN_OR_RETURN(Value input, node.input(0, "X"));
  VTA_ASSIGN_OR_RETURN(int64_t axis,
                       normalizeAxis(node.integer("axis", -1), std::ssize(graph::shapeOf(input))));
  return node.finish(node.build().softmax(input, axis, node.opType() == "LogSoftmax"));
}

/// (input - mean) / sqrt(variance + epsilon) over `axes`.
Result<Value> normalized(Node& node, Value input, ShapeRef axes, double epsilon) {
  graph::GraphBuilder& build = node.build();
  VTA_ASSIGN_OR_RETURN(Value mean, build.reduce(graph::ReduceKind::mean, input, axes, true));
  VTA_ASSIGN_OR_RETURN(Value centred, build.binary(BinaryKind::sub, input, mean));
  VTA_ASSIGN_OR_RETURN(Value square, build.binary(BinaryKind::mul, centred, centred));
  VTA_ASSIGN_OR_RETURN(Value variance, build.reduce(graph::ReduceKind::mean, square, axes, true));
  Value offset = build.scalar(epsilon, graph::elementTypeOf(input));
  VTA_ASSIGN_OR_RETURN(variance, build.binary(BinaryKind::add, variance, offset));
  VTA_ASSIGN_OR_RETURN(Value deviation, build.unary(graph::UnaryKind::sqrt, variance));
  return build.binary(BinaryKind::div, centred, deviation);
}

Status importLayerNormalization(Node& node) {
  VTA_ASSIGN_OR_RETURN(Value input, node.input(0, "X"));
  VTA_ASSIGN_OR_RETURN(Value scale, node.input(1, "Scale"));
  int64_t rank = std::ssize(graph::shapeOf(input));
  VTA_ASSIGN_OR_RETURN(int64_t axis, normalizeAxis(node.integer("axis", -1), rank));
  if (node.isOutputUsed(1) || node.isOutputUsed(2)) {
    return unsupported("the outputs Mean and InvStdDev are not supported");
  }
  Shape axes;
  for (int64_t i = axis; i < rank; ++i) axes.push_back(i);
  VTA_ASSIGN_OR_RETURN(Value output, normalized(node, input, axes, node.number("epsilon", 1e-5)));
  VTA_ASSIGN_OR_RETURN(output, node.build().binary(BinaryKind::mul, output, scale));
  Value bias = node.optionalInput(2);
  if (!bias) return node.finish(output);
  return node.finish(node.build().binary(BinaryKind::add, output, bias));
}

Status importInstanceNormalization(Node& node) {
  VTA_ASSIGN_OR_RETURN(Value input, node.input(0, "input"));
  VTA_ASSIGN_OR_RETURN(Value scale, node.input(1, "scale"));
  VTA_ASSIGN_OR_RETURN(Value bias, node.input(2, "B"));
  ShapeRef shape = graph::shapeOf(input);
  if (shape.size() < 3) return invalidArgument("expects an input of rank 3 or more");
  Shape axes, per_channel(shape.size() - 1, 1);
  for (int64_t i = 2; i < std::ssize(shape); ++i) axes.push_back(i);
  per_channel[0] = shape[1];
  VTA_ASSIGN_OR_RETURN(Value output, normalized(node, input, axes, node.number("epsilon", 1e-5)));
  VTA_ASSIGN_OR_RETURN(scale, node.build().reshape(scale, per_channel));
  VTA_ASSIGN_OR_RETURN(bias, node.build().reshape(bias, per_channel));
  VTA_ASSIGN_OR_RETURN(output, node.build().binary(BinaryKind::mul, output, scale));
  return node.finish(node.build().binary(BinaryKind::add, output, bias));
}

Status importDropout(Node& node) {
  if (node.hasInput(2)) {
    VTA_ASSIGN_OR_RETURN(Shape training, node.integers(2, "training_mode"));
    if (!training.empty() && training[0]) {
      return unsupported("training mode; export the model for inference");
    }
  }
  return node.finish(node.input(0, "data"));
}

constexpr OpEntry kOps[] = {
    {"BatchNormalization", 7, 21, importBatchNormalization},
    {"Dropout", 7, 21, importDropout},
    {"InstanceNormalization", 6, 21, importInstanceNormalization},
    {"LRN", 1, 21, importLrn},
    {"LayerNormalization", 17, 21, importLayerNormalization},
    {"LogSoftmax", 1, 12, importOldSoftmax},
    {"LogSoftmax", 13, 21, importSoftmax},
    {"Softmax", 1, 12, importOldSoftmax},
    {"Softmax", 13, 21, importSoftmax},
};

}  // namespace

std::span<const OpEntry> normalizationOps() { return kOps; }

}  // namespace vta::compiler
