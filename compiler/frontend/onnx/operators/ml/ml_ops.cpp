// Operators of domain ai.onnx.ml that scikit-learn, XGBoost and LightGBM are exported to: trees,
// linear models, and what prepares features and names classes.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "compiler/frontend/onnx/op_table.h"
#include "compiler/frontend/onnx/operators/ml/forest.h"

namespace vta::compiler {
namespace {

using graph::BinaryKind;
using graph::ReduceKind;
using graph::Shape;
using mlir::Value;

Value withBase(Composer& c, Value scores, const std::vector<double>& base) {
  if (!c.ok() || base.empty()) return scores;
  const auto count = std::ssize(base);
  if (count != 1 && count != c.shape(scores)[1]) {
    c.fail(invalidArgument(
        fmt::format("'base_values' has {} elements for {} results", count, c.shape(scores)[1])));
    return {};
  }
  return c.add(scores, c.numbers({1, count}, base, graph::elementTypeOf(scores)));
}

Status finishScores(Composer& c, Value scores, size_t index) {
  if (!c.ok()) return c.status();
  return c.finish(c.cast(scores, c.node().ir().getF32Type()), index);
}

Status importTreeRegressor(Node& node) {
  Composer c(node);
  const Value rows = featureRows(c, c.input(0, "X"));
  if (!c.ok()) return c.status();
  VTA_ASSIGN_OR_RETURN(const Forest forest,
                       readForest(node, "target", node.integer("n_targets", 1)));
  VTA_ASSIGN_OR_RETURN(const std::vector<double> base, listedNumbers(node, "base_values"));
  const Value scores = withBase(c, evaluateForest(c, forest, rows), base);
  return finishScores(c, postTransform(c, scores, node.text("post_transform", "NONE")), 0);
}

Status importTreeEnsemble(Node& node) {
  constexpr std::string_view kTransforms[] = {"NONE", "SOFTMAX", "LOGISTIC", "SOFTMAX_ZERO",
                                              "PROBIT"};
  Composer c(node);
  const Value input = c.input(0, "X");
  const Value rows = featureRows(c, input);
  if (!c.ok()) return c.status();
  VTA_ASSIGN_OR_RETURN(const Forest forest, readNewForest(node));
  const int64_t transform = node.integer("post_transform", 0);
  if (transform < 0 || transform >= std::ssize(kTransforms)) {
    return invalidArgument(fmt::format("post_transform {} is unknown", transform));
  }
  const Value scores = postTransform(c, evaluateForest(c, forest, rows), kTransforms[transform]);
  return c.ok() ? c.finish(c.cast(scores, graph::elementTypeOf(rows))) : c.status();
}

/// The names of classes: integers. Texts are nothing that a tensor here could hold, unless nobody
/// asks for them.
struct Labels {
  std::vector<int64_t> integers;
  size_t count = 0;
};

Result<Labels> readLabels(Node& node, const std::string& integers, const std::string& texts) {
  Labels labels;
  labels.integers = node.integerList(integers).value_or(Shape());
  labels.count = labels.integers.size();
  const std::vector<std::string> names = node.textList(texts);
  if (labels.count == 0 && !names.empty()) {
    labels.count = names.size();
    if (node.isOutputUsed(0)) {
      return unsupported(
          "its labels are texts; export it with numbers for classes, or take its first output "
          "out of the model");
    }
    labels.integers.assign(labels.count, 0);
  }
  if (labels.count == 0) return invalidArgument("it has no labels of classes");
  return labels;
}

/// The label of the first class with the largest score.
Value bestLabel(Composer& c, Value scores, const Labels& labels) {
  if (!c.ok()) return {};
  const mlir::Type i64 = c.node().ir().getI64Type();
  const Value best = c.reduce(ReduceKind::max, scores, {1}, true);
  const int64_t classes = c.shape(scores)[1];
  const Value places = c.positions(classes, 1, 2, i64);
  const Value others = c.numberLike(static_cast<double>(classes - 1), places);
  const Value place =
      c.reduce(ReduceKind::min, c.where(c.equal(scores, best), places, others), {1});
  const Value names = c.integers({static_cast<int64_t>(labels.count)}, labels.integers, i64);
  return c.gather(names, place, 0);
}

/// Two classes of which the leaves name one: its score says how both stand.
struct BinaryScores {
  Value label, scores;
};

BinaryScores binaryScores(Composer& c, Value score, const Labels& labels, bool is_share,
                          std::string_view transform) {
  if (!c.ok()) return {};
  const Value is_second = c.less(c.numberLike(is_share ? 0.5 : 0, score), score);
  const mlir::Type i64 = c.node().ir().getI64Type();
  BinaryScores result;
  result.label =
      c.reshape(c.where(is_second, c.number(static_cast<double>(labels.integers[1]), i64),
                        c.number(static_cast<double>(labels.integers[0]), i64)),
                {c.shape(score)[0]});
  if (is_share) {
    result.scores = c.concat({c.sub(c.numberLike(1, score), score), score}, 1);
    return result;
  }
  const Value both = c.concat({c.unary(graph::UnaryKind::neg, score), score}, 1);
  result.scores = transform == "LOGISTIC" ? c.unary(graph::UnaryKind::sigmoid, both) : both;
  return result;
}

Status importTreeClassifier(Node& node) {
  Composer c(node);
  const Value rows = featureRows(c, c.input(0, "X"));
  if (!c.ok()) return c.status();
  VTA_ASSIGN_OR_RETURN(const Labels labels,
                       readLabels(node, "classlabels_int64s", "classlabels_strings"));
  VTA_ASSIGN_OR_RETURN(Forest forest,
                       readForest(node, "class", static_cast<int64_t>(labels.count)));
  VTA_ASSIGN_OR_RETURN(std::vector<double> base, listedNumbers(node, "base_values"));
  const std::string transform = node.text("post_transform", "NONE");
  std::set<int64_t> named;
  bool is_positive = true;
  for (const LeafWeight& weight : forest.weights) {
    named.insert(weight.target);
    is_positive = is_positive && weight.weight >= 0;
  }
  if (labels.count == 2 && named.size() == 1) {
    for (LeafWeight& weight : forest.weights) weight.target = 0;
    forest.targets = 1;
    if (base.size() == 2) base.erase(base.begin());
    const Value score = withBase(c, evaluateForest(c, forest, rows), base);
    const BinaryScores both = binaryScores(c, score, labels, is_positive, transform);
    VTA_RETURN_IF_ERROR(c.finish(both.label, 0));
    return finishScores(c, both.scores, 1);
  }
  const Value scores = withBase(c, evaluateForest(c, forest, rows), base);
  VTA_RETURN_IF_ERROR(c.finish(bestLabel(c, scores, labels), 0));
  return finishScores(c, postTransform(c, scores, transform), 1);
}

/// rows * coefficients + intercepts, [N, results]; the coefficients of a result follow each other.
Result<Value> linearScores(Composer& c, Value rows, int64_t results) {
  Node& node = c.node();
  const int64_t features = c.shape(rows)[1];
  const auto coefficients = node.numberList("coefficients").value_or(std::vector<double>());
  const auto intercepts = node.numberList("intercepts").value_or(std::vector<double>());
  if (results < 1 || results > std::ssize(coefficients) ||
      std::ssize(coefficients) != results * features) {
    return invalidArgument(
        fmt::format("attribute 'coefficients' has {} elements for {} results of {} features",
                    coefficients.size(), results, features));
  }
  if (!intercepts.empty() && std::ssize(intercepts) != results) {
    return invalidArgument(fmt::format("attribute 'intercepts' has {} elements, expected {}",
                                       intercepts.size(), results));
  }
  const mlir::Type f32 = node.ir().getF32Type();
  const Value weights = c.transpose(c.numbers({results, features}, coefficients, f32), {1, 0});
  const Value scores = withBase(c, c.matmul(c.cast(rows, f32), weights), intercepts);
  return c.ok() ? Result<Value>(scores) : c.status();
}

Status importLinearRegressor(Node& node) {
  Composer c(node);
  const Value rows = featureRows(c, c.input(0, "X"));
  if (!c.ok()) return c.status();
  VTA_ASSIGN_OR_RETURN(const Value scores, linearScores(c, rows, node.integer("targets", 1)));
  return c.finish(postTransform(c, scores, node.text("post_transform", "NONE")));
}

Status importLinearClassifier(Node& node) {
  Composer c(node);
  const Value rows = featureRows(c, c.input(0, "X"));
  if (!c.ok()) return c.status();
  VTA_ASSIGN_OR_RETURN(const Labels labels,
                       readLabels(node, "classlabels_ints", "classlabels_strings"));
  const auto coefficients = node.numberList("coefficients").value_or(std::vector<double>());
  const std::string transform = node.text("post_transform", "NONE");
  const bool is_binary = labels.count == 2 && std::ssize(coefficients) == c.shape(rows)[1];
  VTA_ASSIGN_OR_RETURN(const Value scores,
                       linearScores(c, rows, is_binary ? 1 : static_cast<int64_t>(labels.count)));
  if (is_binary) {
    const BinaryScores both = binaryScores(c, scores, labels, false, transform);
    VTA_RETURN_IF_ERROR(c.finish(both.label, 0));
    return c.finish(both.scores, 1);
  }
  VTA_RETURN_IF_ERROR(c.finish(bestLabel(c, scores, labels), 0));
  return c.finish(postTransform(c, scores, transform), 1);
}

/// One number, or one per feature.
Result<Value> perFeature(Composer& c, const char* name, double otherwise, int64_t features) {
  const auto values = c.node().numberList(name).value_or(std::vector<double>{otherwise});
  const auto count = std::ssize(values);
  if (count == 1 || count == features) {
    return c.numbers({count}, values, c.node().ir().getF32Type());
  }
  return invalidArgument(
      fmt::format("attribute '{}' has {} elements for {} features", name, count, features));
}

/// (x - offset) * scale.
Status importScaler(Node& node) {
  Composer c(node);
  const Value input = c.cast(c.input(0, "X"), node.ir().getF32Type());
  if (!c.ok()) return c.status();
  const Shape shape = c.shape(input);
  const int64_t features = shape.empty() ? 1 : shape.back();
  VTA_ASSIGN_OR_RETURN(const Value offset, perFeature(c, "offset", 0, features));
  VTA_ASSIGN_OR_RETURN(const Value scale, perFeature(c, "scale", 1, features));
  return c.finish(c.mul(c.sub(input, offset), scale));
}

/// Rows divided by their largest, summed or Euclidean size.
Status importNormalizer(Node& node) {
  Composer c(node);
  const Value input = c.cast(c.input(0, "X"), node.ir().getF32Type());
  if (!c.ok()) return c.status();
  const std::string norm = node.text("norm", "MAX");
  const int64_t axis = c.rank(input) - 1;
  if (axis < 0) return invalidArgument("expects rows of features");
  ReduceKind kind = ReduceKind::max;
  if (norm == "L1") kind = ReduceKind::l1;
  if (norm == "L2") kind = ReduceKind::l2;
  if (kind == ReduceKind::max && norm != "MAX") {
    return invalidArgument(fmt::format("norm '{}' is unknown", norm));
  }
  const Value size = c.reduce(kind, input, {axis}, true);
  // A row without a size stays as it is.
  const Value is_zero = c.equal(size, c.numberLike(0, size));
  return c.finish(c.div(input, c.where(is_zero, c.numberLike(1, size), size)));
}

Status importBinarizer(Node& node) {
  Composer c(node);
  const Value input = c.input(0, "X");
  if (!c.ok()) return c.status();
  const Value is_above = c.less(c.numberLike(node.number("threshold", 0), input), input);
  return c.ok() ? c.finish(c.cast(is_above, graph::elementTypeOf(input))) : c.status();
}

/// Columns of the last dimension.
Status importArrayFeatureExtractor(Node& node) {
  Composer c(node);
  const Value input = c.input(0, "X"), columns = c.input(1, "Y");
  if (!c.ok()) return c.status();
  Shape shape = c.shape(input);
  if (shape.empty()) return invalidArgument("expects at least one dimension");
  // A vector becomes a row.
  if (shape.size() == 1) shape.insert(shape.begin(), 1);
  const Value flat = c.reshape(columns, {graph::elementCount(c.shape(columns))});
  return c.finish(c.gather(c.reshape(input, shape), flat, std::ssize(shape) - 1));
}

/// Maps of classes' names to scores: the scores are what a tensor holds of them.
Status importZipMap(Node& node) {
  VTA_RETURN_IF_ERROR(node.finish(node.input(0, "X")));
  node.note(
      "ZipMap is left out: its output is a tensor with the scores of all classes, in the order of "
      "its labels, not a map for each sample");
  return {};
}

}  // namespace

std::span<const OpEntry> machineLearningOps() {
  static constexpr OpEntry kOps[] = {
      {"ArrayFeatureExtractor", 1, kLatest, importArrayFeatureExtractor},
      {"Binarizer", 1, kLatest, importBinarizer},
      {"LinearClassifier", 1, kLatest, importLinearClassifier},
      {"LinearRegressor", 1, kLatest, importLinearRegressor},
      {"Normalizer", 1, kLatest, importNormalizer},
      {"Scaler", 1, kLatest, importScaler},
      {"TreeEnsemble", 5, kLatest, importTreeEnsemble},
      {"TreeEnsembleClassifier", 1, kLatest, importTreeClassifier},
      {"TreeEnsembleRegressor", 1, kLatest, importTreeRegressor},
      {"ZipMap", 1, kLatest, importZipMap},
  };
  return kOps;
}

}  // namespace vta::compiler
