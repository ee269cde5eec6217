// NegativeLogLikelihoodLoss and SoftmaxCrossEntropyLoss.
#include <fmt/format.h>

#include <numeric>

#include "compiler/frontend/onnx/compose.h"
#include "compiler/frontend/onnx/op_table.h"

namespace vta::compiler {
namespace {

using graph::Shape;
using mlir::Value;

Shape allAxes(int64_t rank) {
  Shape axes(rank);
  std::iota(axes.begin(), axes.end(), 0);
  return axes;
}

/// The weight of every target; null if all weigh the same.
Value targetWeights(Composer& c, Node& node, Value is_target, Value target, mlir::Type type) {
  Value weights;
  int64_t rank = c.rank(is_target);
  if (Value given = node.optionalInput(2)) {
    Shape per_class(rank, 1);
    per_class[1] = c.shape(is_target)[1];
    weights = c.sum(c.keep(is_target, c.reshape(given, per_class)), {1});
  }
  if (!node.hasAttribute("ignore_index")) return weights;
  Value ignored = c.numberLike(static_cast<double>(node.integer("ignore_index", 0)), target);
  Value counts = c.unary(graph::UnaryKind::logical_not, c.equal(target, ignored));
  return weights ? c.keep(counts, weights) : c.cast(counts, type);
}

/// -weight[target] * scores[target], reduced as the attribute says. `scores` is [N, C, ...].
Value negativeLogLikelihood(Composer& c, Node& node, Value scores, Value target) {
  Shape shape = c.shape(scores);
  if (!c.ok()) return {};
  if (shape.size() < 2 || c.rank(target) + 1 != std::ssize(shape)) {
    c.fail(
        invalidArgument(fmt::format("classes of shape {} do not fit scores of shape {}",
                                    graph::shapeText(c.shape(target)), graph::shapeText(shape))));
    return {};
  }
  mlir::Type index_type = graph::elementTypeOf(target);
  Value is_target =
      c.equal(c.unsqueeze(target, 1), c.positions(shape[1], 1, std::ssize(shape), index_type));
  Value weights = targetWeights(c, node, is_target, target, graph::elementTypeOf(scores));
  Value loss = c.unary(graph::UnaryKind::neg, c.sum(c.keep(is_target, scores), {1}));
  if (weights) loss = c.mul(loss, weights);
  std::string reduction = node.text("reduction", "mean");
  if (reduction == "none") return loss;
  Shape axes = allAxes(c.rank(loss));
  if (reduction == "sum") return c.sum(loss, axes);
  if (reduction != "mean") {
    c.fail(invalidArgument(fmt::format("reduction '{}' is unknown", reduction)));
    return {};
  }
  if (!weights) return c.reduce(graph::ReduceKind::mean, loss, axes);
  return c.div(c.sum(loss, axes), c.sum(weights, axes));
}

Status importNegativeLogLikelihoodLoss(Node& node) {
  Composer c(node);
  Value scores = c.input(0, "input"), target = c.input(1, "target");
  return c.finish(negativeLogLikelihood(c, node, scores, target));
}

Status importSoftmaxCrossEntropyLoss(Node& node) {
  Composer c(node);
  Value scores = c.input(0, "scores"), labels = c.input(1, "labels");
  if (!c.ok()) return c.status();
  if (c.rank(scores) < 2) return invalidArgument("expects scores of rank 2 or more");
  Value log_prob = c.take(node.build().softmax(scores, 1, /*log=*/true));
  VTA_RETURN_IF_ERROR(c.finish(negativeLogLikelihood(c, node, log_prob, labels)));
  return c.finish(log_prob, 1);
}

}  // namespace

std::span<const OpEntry> lossOps() {
  static constexpr OpEntry kOps[] = {
      {"NegativeLogLikelihoodLoss", 12, kLatest, importNegativeLogLikelihoodLoss},
      {"SoftmaxCrossEntropyLoss", 12, kLatest, importSoftmaxCrossEntropyLoss},
  };
  return kOps;
}

}  // namespace vta::compiler
