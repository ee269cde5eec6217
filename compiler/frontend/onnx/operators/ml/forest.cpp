#include "compiler/frontend/onnx/operators/ml/forest.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <set>

#include "compiler/frontend/onnx/operators/control/graphs_inside.h"

namespace vta::compiler {
namespace {

using graph::BinaryKind;
using graph::Shape;
using mlir::Value;

/// Elements of the table that says what each leaf gives to each target.
constexpr int64_t kMostWeights = int64_t{1} << 27;

/// How many steps lead from a root to the farthest leaf. An error where a walk does not end, or
/// where two nodes lead to one.
Result<int64_t> depthOf(const Forest& forest) {
  std::vector<bool> seen(forest.nodes.size());
  std::vector<std::pair<int64_t, int64_t>> open;  // nodes, and their distance from the root
  for (const int64_t root : forest.roots) open.emplace_back(root, 0);
  int64_t deepest = 0;
  while (!open.empty()) {
    const auto [at, depth] = open.back();
    open.pop_back();
    deepest = std::max(deepest, depth);
    const TreeNode& node = forest.nodes[static_cast<size_t>(at)];
    if (node.mode == SplitMode::kLeaf) continue;
    if (seen[static_cast<size_t>(at)]) {
      return invalidArgument(fmt::format("two ways lead to node {}: it is no tree", at));
    }
    seen[static_cast<size_t>(at)] = true;
    open.emplace_back(node.if_true, depth + 1);
    if (node.if_false != node.if_true) open.emplace_back(node.if_false, depth + 1);
  }
  for (size_t i = 0; i < seen.size(); ++i) {
    if (seen[i] || forest.nodes[i].mode == SplitMode::kLeaf) continue;
    return invalidArgument(fmt::format("no way leads to node {}: it is no tree", i));
  }
  return deepest;
}

class ForestEvaluation {
 public:
  ForestEvaluation(Composer& c, const Forest& forest, Value features)
      : c_(c), forest_(forest), features_(features) {}

  Value run() {
    const Shape shape = c_.shape(features_);
    const Result<int64_t> depth = depthOf(forest_);
    if (!depth.ok()) c_.fail(depth.status());
    checkFeatures(shape[1]);
    const int64_t trees = std::ssize(forest_.roots);
    if (std::ssize(forest_.nodes) * forest_.targets > kMostWeights) {
      c_.fail(unsupported("it has too many nodes for its number of results"));
    }
    if (!c_.ok()) return {};
    type_ = graph::elementTypeOf(features_);
    rows_ = shape[0];
    flat_ = c_.reshape(features_, {rows_ * shape[1]});
    first_ = c_.scale(c_.positions(rows_, 0, 2, i64()), static_cast<double>(shape[1]));
    const Value roots = c_.expand(c_.integers({1, trees}, forest_.roots, i64()), {rows_, trees});
    return gathered(walked(roots, *depth));
  }

 private:
  mlir::Type i64() const { return c_.node().ir().getI64Type(); }

  void checkFeatures(int64_t count) {
    for (const TreeNode& node : forest_.nodes) {
      if (node.mode == SplitMode::kLeaf || (node.feature >= 0 && node.feature < count)) continue;
      c_.fail(
          invalidArgument(fmt::format("a node asks for feature {} of {}", node.feature, count)));
      return;
    }
  }

  /// A column of the table of nodes.
  template <typename Field>
  Value column(Field field) {
    std::vector<int64_t> values;
    for (const TreeNode& node : forest_.nodes) values.push_back(field(node));
    return c_.integers({std::ssize(values)}, values, i64());
  }

  Value thresholds() {
    std::vector<double> values;
    for (const TreeNode& node : forest_.nodes) values.push_back(node.value);
    return c_.numbers({std::ssize(values)}, values, type_);
  }

  /// The nodes that all walks are at after `steps` steps; those at leaves stay.
  Value walked(Value nodes, int64_t steps) {
    if (steps == 0 || !c_.ok()) return nodes;
    Node& node = c_.node();
    LoopParts loop;
    loop.most = c_.number(static_cast<double>(steps), i64());
    loop.condition = c_.number(1, node.ir().getI1Type());
    loop.states = {nodes};
    loop.body = &node.newBlock();
    const mlir::Location loc = node.build().location();
    loop.body->addArgument(loop.most.getType(), loc);
    const Value at = loop.body->addArgument(nodes.getType(), loc);
    {
      const mlir::OpBuilder::InsertionGuard guard(node.ir());
      node.ir().setInsertionPointToEnd(loop.body);
      loop.next_states = {nextNodes(at)};
      loop.next_condition = c_.number(1, node.ir().getI1Type());
    }
    return c_.ok() ? createLoop(node, loop)[1] : Value();
  }

  Value nextNodes(Value at) {
    const auto of = [&](Value table) { return c_.gather(table, at, 0); };
    const Value place =
        c_.add(first_, of(column([](const TreeNode& node) { return node.feature; })));
    const Value x = c_.gather(flat_, place, 0), value = of(thresholds());
    Value goes_true;
    const Value modes =
        of(column([](const TreeNode& node) { return static_cast<int64_t>(node.mode); }));
    std::set<SplitMode> used;
    for (const TreeNode& node : forest_.nodes) {
      if (node.mode != SplitMode::kLeaf) used.insert(node.mode);
    }
    for (const SplitMode mode : used) {
      const Value holds = compared(mode, x, value);
      const Value is_mode = c_.equal(modes, c_.numberLike(static_cast<double>(mode), modes));
      goes_true = goes_true ? c_.where(is_mode, holds, goes_true) : holds;
    }
    if (std::ranges::any_of(forest_.nodes, &TreeNode::missing_is_true)) {
      const Value tracks =
          c_.cast(of(column([](const TreeNode& node) { return int64_t{node.missing_is_true}; })),
                  c_.node().ir().getI1Type());
      const Value is_missing = c_.unary(graph::UnaryKind::is_nan, x);
      goes_true = c_.binary(BinaryKind::logical_or, goes_true,
                            c_.binary(BinaryKind::logical_and, tracks, is_missing));
    }
    return c_.where(goes_true, of(column([](const TreeNode& node) { return node.if_true; })),
                    of(column([](const TreeNode& node) { return node.if_false; })));
  }

  Value compared(SplitMode mode, Value x, Value value) {
    switch (mode) {
      case SplitMode::kLeq:
        return c_.binary(BinaryKind::less_equal, x, value);
      case SplitMode::kLess:
        return c_.binary(BinaryKind::less, x, value);
      case SplitMode::kGeq:
        return c_.binary(BinaryKind::greater_equal, x, value);
      case SplitMode::kGreater:
        return c_.binary(BinaryKind::greater, x, value);
      case SplitMode::kEqual:
        return c_.equal(x, value);
      default:
        return c_.unary(graph::UnaryKind::logical_not, c_.equal(x, value));
    }
  }

  /// What the leaves give: [rows, targets] of [rows, trees].
  Value gathered(Value leaves) {
    const bool is_extreme =
        forest_.aggregate == Aggregate::kMin || forest_.aggregate == Aggregate::kMax;
    const bool is_min = forest_.aggregate == Aggregate::kMin;
    // What a leaf says nothing of does not count.
    const double infinity = std::numeric_limits<double>::infinity();
    const double nothing = !is_extreme ? 0 : is_min ? infinity : -infinity;
    std::vector<double> table(forest_.nodes.size() * static_cast<size_t>(forest_.targets), nothing);
    for (const LeafWeight& weight : forest_.weights) {
      double& entry = table[static_cast<size_t>(weight.leaf * forest_.targets + weight.target)];
      entry = entry == nothing ? weight.weight : entry + weight.weight;
    }
    const Value weights = c_.numbers({std::ssize(forest_.nodes), forest_.targets}, table, type_);
    const Value given = c_.gather(weights, leaves, 0);
    if (is_extreme) {
      const Value extreme =
          c_.reduce(is_min ? graph::ReduceKind::min : graph::ReduceKind::max, given, {1});
      const Value is_nothing = c_.equal(extreme, c_.numberLike(nothing, extreme));
      return c_.where(is_nothing, c_.numberLike(0, extreme), extreme);
    }
    const Value sum = c_.sum(given, {1});
    const double trees = static_cast<double>(std::max<size_t>(forest_.roots.size(), 1));
    return forest_.aggregate == Aggregate::kAverage ? c_.div(sum, c_.numberLike(trees, sum)) : sum;
  }

  Composer& c_;
  const Forest& forest_;
  Value features_;
  mlir::Type type_;
  int64_t rows_ = 0;
  Value flat_, first_;  // all features in a row, and where each row of them starts
};

}  // namespace

Value evaluateForest(Composer& c, const Forest& forest, Value features) {
  if (!c.ok()) return {};
  if (forest.nodes.empty() || forest.roots.empty()) {
    c.fail(invalidArgument("it has no trees"));
    return {};
  }
  return ForestEvaluation(c, forest, features).run();
}

Value featureRows(Composer& c, Value input) {
  if (!c.ok()) return {};
  Shape shape = c.shape(input);
  if (shape.size() == 1) shape.insert(shape.begin(), 1);
  if (shape.size() != 2) {
    c.fail(invalidArgument(
        fmt::format("expects rows of features, got {}", graph::shapeText(graph::shapeOf(input)))));
    return {};
  }
  const bool is_double = graph::elementTypeOf(input).isF64();
  mlir::OpBuilder& ir = c.node().ir();
  return c.reshape(c.cast(input, is_double ? mlir::Type(ir.getF64Type()) : ir.getF32Type()), shape);
}

Value postTransform(Composer& c, Value scores, std::string_view name) {
  if (!c.ok() || name == "NONE") return scores;
  if (name == "SOFTMAX" || name == "SOFTMAX_ZERO") {
    // The second form leaves zeros alone.
    if (name == "SOFTMAX") return c.softmax(c.cast(scores, c.node().ir().getF32Type()), 1);
    const Value zero = c.numberLike(0, scores);
    const Value is_zero = c.equal(scores, zero);
    const Value high = c.reduce(graph::ReduceKind::max, scores, {1}, true);
    const Value powers =
        c.where(is_zero, zero, c.unary(graph::UnaryKind::exp, c.sub(scores, high)));
    return c.div(powers, c.sum(powers, {1}, true));
  }
  if (name == "LOGISTIC") return c.unary(graph::UnaryKind::sigmoid, scores);
  c.fail(name == "PROBIT" ? unsupported("post_transform PROBIT is not supported")
                          : invalidArgument(fmt::format("post_transform '{}' is unknown", name)));
  return {};
}

}  // namespace vta::compiler
