// BatchNormalization, LRN, Softmax, LogSoftmax, LayerNormalization, InstanceNormalization, Dropout.
#include <fmt/format.h>

#include <algorithm>

#include "compiler/frontend/onnx/compose.h"
#include "compiler/frontend/onnx/op_table.h"
#include "compiler/frontend/onnx/operators/layers.h"

namespace vta::compiler {
namespace {

using graph::BinaryKind;
using graph::Shape;
using graph::ShapeRef;
using mlir::Value;

/// Training mode: statistics of the batch; the running ones are outputs.
Status importTrainedBatchNorm(Node& node) {
  Composer c(node);
  Value input = c.input(0, "X");
  Shape shape = c.shape(input), axes = {0}, per_channel(shape.size(), 1);
  if (!c.ok()) return c.status();
  if (shape.size() < 2) return invalidArgument("expects an input of rank 2 or more");
  per_channel[1] = shape[1];
  for (int64_t i = 2; i < std::ssize(shape); ++i) axes.push_back(i);
  Value scale = c.reshape(c.input(1, "scale"), per_channel);
  Value bias = c.reshape(c.input(2, "B"), per_channel);
  Value mean = c.reduce(graph::ReduceKind::mean, input, axes, true);
  Value centred = c.sub(input, mean);
  Value variance = c.reduce(graph::ReduceKind::mean, c.mul(centred, centred), axes, true);
  Value offset = c.numberLike(node.number("epsilon", 1e-5), input);
  Value deviation = c.unary(graph::UnaryKind::sqrt, c.add(variance, offset));
  VTA_RETURN_IF_ERROR(c.finish(c.add(c.mul(c.div(centred, deviation), scale), bias)));
  double momentum = node.number("momentum", 0.9);
  auto running = [&](Value old, Value batch) {
    Value kept = c.mul(old, c.numberLike(momentum, old));
    return c.add(kept, c.mul(c.reshape(batch, {shape[1]}), c.numberLike(1 - momentum, old)));
  };
  VTA_RETURN_IF_ERROR(c.finish(running(c.input(3, "input_mean"), mean), 1));
  return c.finish(running(c.input(4, "input_var"), variance), 2);
}

Status importBatchNormalization(Node& node) {
  VTA_ASSIGN_OR_RETURN(Value input, node.input(0, "X"));
  std::vector<Value> parameters;
  for (const char* name : {"scale", "B", "mean", "var"}) {
    VTA_ASSIGN_OR_RETURN(Value parameter, node.input(parameters.size() + 1, name));
    parameters.push_back(parameter);
  }
  if (node.integer("training_mode", 0)) return importTrainedBatchNorm(node);
  // Before opset 14, more outputs than one are the statistics of training.
  if (node.opset() < 14 && node.isOutputUsed(1)) {
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

Status importInstanceNormalization(Node& node) {
  VTA_ASSIGN_OR_RETURN(Value input, node.input(0, "input"));
  VTA_ASSIGN_OR_RETURN(Value scale, node.input(1, "scale"));
  VTA_ASSIGN_OR_RETURN(Value bias, node.input(2, "B"));
  ShapeRef shape = graph::shapeOf(input);
  if (shape.size() < 3) return invalidArgument("expects an input of rank 3 or more");
  Shape axes, per_channel(shape.size() - 1, 1);
  for (int64_t i = 2; i < std::ssize(shape); ++i) axes.push_back(i);
  per_channel[0] = shape[1];
  VTA_ASSIGN_OR_RETURN(Normalized result,
                       normalized(node, input, axes, node.number("epsilon", 1e-5)));
  VTA_ASSIGN_OR_RETURN(scale, node.build().reshape(scale, per_channel));
  VTA_ASSIGN_OR_RETURN(bias, node.build().reshape(bias, per_channel));
  VTA_ASSIGN_OR_RETURN(Value output, node.build().binary(BinaryKind::mul, result.output, scale));
  return node.finish(node.build().binary(BinaryKind::add, output, bias));
}

/// Channels in groups; one scale and bias for each channel, before opset 21 for each group.
Status importGroupNormalization(Node& node) {
  Composer c(node);
  Value input = c.input(0, "X"), scale = c.input(1, "scale"), bias = c.input(2, "bias");
  const Shape shape = c.shape(input);
  const int64_t groups = node.integer("num_groups", 0);
  if (!c.ok()) return c.status();
  if (shape.size() < 3 || shape[0] < 1 || groups < 1 || shape[1] % groups != 0) {
    return invalidArgument(
        fmt::format("{} groups do not fit an input of shape {}", groups, graph::shapeText(shape)));
  }
  const Shape grouped = {shape[0], groups, graph::elementCount(shape) / shape[0] / groups};
  VTA_ASSIGN_OR_RETURN(Normalized result, normalized(node, c.reshape(input, grouped), Shape{2},
                                                     node.number("epsilon", 1e-5)));
  const auto per_channel = [&](Value value) {
    const bool is_per_group = c.shape(value) == Shape{groups} && groups != shape[1];
    if (is_per_group) value = c.expand(c.unsqueeze(value, 1), {groups, shape[1] / groups});
    Shape wide(shape.size() - 1, 1);
    wide[0] = shape[1];
    return c.reshape(value, wide);
  };
  const Value output = c.reshape(result.output, shape);
  return c.finish(c.add(c.mul(output, per_channel(scale)), per_channel(bias)));
}

/// x / the p-norm along an axis; where that is 0, 0.
Status importLpNormalization(Node& node) {
  Composer c(node);
  Value input = c.input(0, "input");
  const int64_t axis = c.axis(node.integer("axis", -1), c.rank(input));
  const int64_t p = node.integer("p", 2);
  if (p != 1 && p != 2) return invalidArgument("'p' is neither 1 nor 2");
  const auto kind = p == 1 ? graph::ReduceKind::l1 : graph::ReduceKind::l2;
  const Value norm = c.reduce(kind, input, {axis}, true);
  const Value zero = c.numberLike(0, norm);
  return c.finish(c.where(c.equal(norm, zero), zero, c.div(input, norm)));
}

/// (x - mean) / (sqrt(mean(x^2) - mean(x)^2) + 1e-9), as ONNX defines it.
Status importMeanVarianceNormalization(Node& node) {
  Composer c(node);
  Value input = c.input(0, "X");
  if (!c.ok()) return c.status();
  VTA_ASSIGN_OR_RETURN(
      Shape axes, normalizeAxes(node.integerList("axes").value_or(Shape{0, 2, 3}), c.rank(input)));
  Value mean = c.reduce(graph::ReduceKind::mean, input, axes, true);
  Value mean_square = c.reduce(graph::ReduceKind::mean, c.mul(input, input), axes, true);
  Value deviation = c.unary(graph::UnaryKind::sqrt, c.sub(mean_square, c.mul(mean, mean)));
  return c.finish(c.div(c.sub(input, mean), c.add(deviation, c.numberLike(1e-9, input))));
}

/// In training mode a ratio of 0 drops nothing; any other one is random.
Status importDropout(Node& node) {
  if (node.opset() < 7 && node.integer("is_test", 0) == 0) {
    return unsupported("training mode (is_test is 0); export the model for inference");
  }
  if (node.hasInput(2)) {
    VTA_ASSIGN_OR_RETURN(Shape training, node.integers(2, "training_mode"));
    std::vector<double> ratio = {0.5};
    if (node.hasInput(1)) {
      VTA_ASSIGN_OR_RETURN(ratio, node.numbers(1, "ratio"));
    }
    bool is_training = !training.empty() && training[0];
    if (is_training && !(ratio.size() == 1 && ratio[0] == 0)) {
      return unsupported("training mode; export the model for inference");
    }
  }
  Composer c(node);
  Value input = c.input(0, "data");
  // The mask of what is kept: everything. Before opset 10 it had the data's type.
  mlir::Type mask =
      node.opset() < 10 && c.ok() ? graph::elementTypeOf(input) : node.ir().getI1Type();
  if (node.isOutputUsed(1)) {
    VTA_RETURN_IF_ERROR(c.finish(c.expand(c.number(1, mask), c.shape(input)), 1));
  }
  return c.finish(input);
}

}  // namespace

Status importLayerNormalization(Node& node) {
  VTA_ASSIGN_OR_RETURN(Value input, node.input(0, "X"));
  VTA_ASSIGN_OR_RETURN(Value scale, node.input(1, "Scale"));
  int64_t rank = std::ssize(graph::shapeOf(input));
  VTA_ASSIGN_OR_RETURN(int64_t axis, normalizeAxis(node.integer("axis", -1), rank));
  Shape axes;
  for (int64_t i = axis; i < rank; ++i) axes.push_back(i);
  VTA_ASSIGN_OR_RETURN(Normalized result,
                       normalized(node, input, axes, node.number("epsilon", 1e-5)));
  if (node.isOutputUsed(1)) node.setOutput(1, result.mean);
  if (node.isOutputUsed(2)) {
    VTA_ASSIGN_OR_RETURN(Value inverse,
                         node.build().unary(graph::UnaryKind::reciprocal, result.deviation));
    node.setOutput(2, inverse);
  }
  VTA_ASSIGN_OR_RETURN(Value output, node.build().binary(BinaryKind::mul, result.output, scale));
  Value bias = node.optionalInput(2);
  if (!bias) return node.finish(output);
  return node.finish(node.build().binary(BinaryKind::add, output, bias));
}

Status importRmsNormalization(Node& node) {
  Composer c(node);
  const Value input = c.input(0, "X");
  if (!c.ok()) return c.status();
  const int64_t rank = c.rank(input);
  Shape axes;
  for (int64_t i = c.axis(node.integer("axis", -1), rank); i < rank; ++i) axes.push_back(i);
  const Value output = rootMeanSquareNormalized(c, input, axes, node.number("epsilon", 1e-5));
  return c.finish(c.mul(output, c.input(1, "scale")));
}

Result<Normalized> normalized(Node& node, Value input, ShapeRef axes, double epsilon) {
  graph::GraphBuilder& build = node.build();
  VTA_ASSIGN_OR_RETURN(Value mean, build.reduce(graph::ReduceKind::mean, input, axes, true));
  VTA_ASSIGN_OR_RETURN(Value centred, build.binary(BinaryKind::sub, input, mean));
  VTA_ASSIGN_OR_RETURN(Value square, build.binary(BinaryKind::mul, centred, centred));
  VTA_ASSIGN_OR_RETURN(Value variance, build.reduce(graph::ReduceKind::mean, square, axes, true));
  Value offset = build.scalar(epsilon, graph::elementTypeOf(input));
  VTA_ASSIGN_OR_RETURN(variance, build.binary(BinaryKind::add, variance, offset));
  VTA_ASSIGN_OR_RETURN(Value deviation, build.unary(graph::UnaryKind::sqrt, variance));
  VTA_ASSIGN_OR_RETURN(Value output, build.binary(BinaryKind::div, centred, deviation));
  return Normalized{output, mean, deviation};
}

Value rootMeanSquareNormalized(Composer& c, Value input, const Shape& axes, double epsilon) {
  const Value mean = c.mean(c.mul(input, input), axes, true);
  const Value deviation = c.unary(graph::UnaryKind::sqrt, c.add(mean, c.numberLike(epsilon, mean)));
  return c.div(input, deviation);
}

std::span<const OpEntry> normalizationOps() {
  static constexpr OpEntry kOps[] = {
      {"BatchNormalization", 1, kLatest, importBatchNormalization},
      {"Dropout", 1, kLatest, importDropout},
      {"GroupNormalization", 18, kLatest, importGroupNormalization},
      {"InstanceNormalization", 1, kLatest, importInstanceNormalization},
      {"LRN", 1, kLatest, importLrn},
      // ONNX Runtime's optimiser writes it below opset 17, too.
      {"LayerNormalization", 1, kLatest, importLayerNormalization},
      {"LogSoftmax", 1, 12, importOldSoftmax},
      {"LogSoftmax", 13, kLatest, importSoftmax},
      {"LpNormalization", 1, kLatest, importLpNormalization},
      {"MeanVarianceNormalization", 9, kLatest, importMeanVarianceNormalization},
      {"RMSNormalization", 23, kLatest, importRmsNormalization},
      {"SimplifiedLayerNormalization", 1, kLatest, importRmsNormalization},
      {"Softmax", 1, 12, importOldSoftmax},
      {"Softmax", 13, kLatest, importSoftmax},
  };
  return kOps;
}

}  // namespace vta::compiler
