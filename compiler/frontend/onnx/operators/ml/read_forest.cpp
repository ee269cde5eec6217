// Forests from the attributes of ai.onnx.ml's operators, which list nodes in parallel.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "compiler/dialects/graph/constant_tensor.h"
#include "compiler/frontend/onnx/operators/ml/forest.h"

namespace vta::compiler {
namespace {

using graph::Shape;

struct ModeName {
  std::string_view name;
  SplitMode mode;
};
constexpr ModeName kModes[] = {
    {"BRANCH_LEQ", SplitMode::kLeq},  {"BRANCH_LT", SplitMode::kLess},
    {"BRANCH_GTE", SplitMode::kGeq},  {"BRANCH_GT", SplitMode::kGreater},
    {"BRANCH_EQ", SplitMode::kEqual}, {"BRANCH_NEQ", SplitMode::kNotEqual},
    {"LEAF", SplitMode::kLeaf}};

constexpr std::string_view kAggregates[] = {"AVERAGE", "SUM", "MIN", "MAX"};

Status checkCount(std::string_view name, size_t found, size_t expected) {
  if (found == expected) return {};
  return invalidArgument(
      fmt::format("attribute '{}' has {} elements, expected {}", name, found, expected));
}

/// A list of integers with an element for every one of `expected`; zeros if it is absent and may
/// be.
Result<Shape> listedIntegers(Node& node, const std::string& name, size_t expected,
                             bool may_be_absent = false) {
  Shape values = node.integerList(name).value_or(Shape());
  if (values.empty() && may_be_absent) values.assign(expected, 0);
  VTA_RETURN_IF_ERROR(checkCount(name, values.size(), expected));
  return values;
}

/// Trees and their nodes have numbers of their own.
using NodeNumber = std::pair<int64_t, int64_t>;

Result<int64_t> findNode(const std::map<NodeNumber, int64_t>& places, NodeNumber number) {
  const auto found = places.find(number);
  if (found != places.end()) return found->second;
  return invalidArgument(fmt::format("tree {} has no node {}", number.first, number.second));
}

/// The first node of every tree that no other one leads to.
Status findRoots(const std::vector<NodeNumber>& numbers, Forest& forest) {
  std::vector<bool> is_child(forest.nodes.size());
  for (const TreeNode& node : forest.nodes) {
    if (node.mode == SplitMode::kLeaf) continue;
    is_child[static_cast<size_t>(node.if_true)] = is_child[static_cast<size_t>(node.if_false)] =
        true;
  }
  std::map<int64_t, int64_t> roots;  // by tree
  for (size_t i = 0; i < numbers.size(); ++i) {
    if (is_child[i]) {
      roots.try_emplace(numbers[i].first, -1);
      continue;
    }
    auto& root = roots.try_emplace(numbers[i].first, -1).first->second;
    if (root >= 0) {
      return invalidArgument(fmt::format("tree {} has two roots", numbers[i].first));
    }
    root = static_cast<int64_t>(i);
  }
  for (const auto& [tree, root] : roots) {
    if (root < 0) return invalidArgument(fmt::format("tree {} has no root", tree));
    forest.roots.push_back(root);
  }
  return {};
}

Status readNodes(Node& node, Forest& forest, std::map<NodeNumber, int64_t>& places) {
  const Shape ids = node.integerList("nodes_nodeids").value_or(Shape());
  const size_t count = ids.size();
  VTA_ASSIGN_OR_RETURN(const Shape trees, listedIntegers(node, "nodes_treeids", count));
  VTA_ASSIGN_OR_RETURN(const Shape features, listedIntegers(node, "nodes_featureids", count));
  VTA_ASSIGN_OR_RETURN(const Shape if_true, listedIntegers(node, "nodes_truenodeids", count));
  VTA_ASSIGN_OR_RETURN(const Shape if_false, listedIntegers(node, "nodes_falsenodeids", count));
  VTA_ASSIGN_OR_RETURN(const Shape tracks,
                       listedIntegers(node, "nodes_missing_value_tracks_true", count, true));
  VTA_ASSIGN_OR_RETURN(const std::vector<double> values, listedNumbers(node, "nodes_values"));
  VTA_RETURN_IF_ERROR(checkCount("nodes_values", values.size(), count));
  const std::vector<std::string> modes = node.textList("nodes_modes");
  VTA_RETURN_IF_ERROR(checkCount("nodes_modes", modes.size(), count));
  std::vector<NodeNumber> numbers;
  for (size_t i = 0; i < count; ++i) {
    numbers.emplace_back(trees[i], ids[i]);
    if (!places.emplace(numbers[i], static_cast<int64_t>(i)).second) {
      return invalidArgument(fmt::format("tree {} has two nodes {}", trees[i], ids[i]));
    }
  }
  for (size_t i = 0; i < count; ++i) {
    const auto mode = std::ranges::find(kModes, modes[i], &ModeName::name);
    if (mode == std::end(kModes)) {
      return invalidArgument(fmt::format("mode '{}' of a node is unknown", modes[i]));
    }
    TreeNode& made = forest.nodes.emplace_back();
    made.mode = mode->mode;
    made.if_true = made.if_false = static_cast<int64_t>(i);
    if (made.mode == SplitMode::kLeaf) continue;
    made.feature = features[i];
    made.value = values[i];
    made.missing_is_true = tracks[i] != 0;
    VTA_ASSIGN_OR_RETURN(made.if_true, findNode(places, {trees[i], if_true[i]}));
    VTA_ASSIGN_OR_RETURN(made.if_false, findNode(places, {trees[i], if_false[i]}));
  }
  return findRoots(numbers, forest);
}

/// More would be a mistake.
constexpr int64_t kMostTargets = int64_t{1} << 20;

Status checkTargets(const Forest& forest) {
  if (forest.targets < 1 || forest.targets > kMostTargets) {
    return invalidArgument(fmt::format("{} results are out of range", forest.targets));
  }
  for (const LeafWeight& weight : forest.weights) {
    if (weight.target >= 0 && weight.target < forest.targets) continue;
    return invalidArgument(
        fmt::format("a leaf gives to result {} of {}", weight.target, forest.targets));
  }
  return {};
}

/// A tensor attribute of TreeEnsemble; empty if absent.
Result<std::vector<double>> tensorNumbers(Node& node, const std::string& name) {
  const onnx::TensorProto* tensor = node.tensor(name);
  if (tensor == nullptr) return std::vector<double>();
  VTA_ASSIGN_OR_RETURN(const mlir::DenseElementsAttr elements, node.elementsOf(*tensor));
  return graph::ConstantTensor(elements).asDoubles();
}

/// Node or leaf `number`: leaves lie behind the `nodes` nodes.
Result<int64_t> placeOf(int64_t number, bool is_leaf, int64_t nodes, int64_t leaves) {
  const int64_t count = is_leaf ? leaves : nodes;
  if (number < 0 || number >= count) {
    return invalidArgument(fmt::format("there is no {} {}", is_leaf ? "leaf" : "node", number));
  }
  return is_leaf ? nodes + number : number;
}

}  // namespace

Result<std::vector<double>> listedNumbers(Node& node, const std::string& name) {
  VTA_ASSIGN_OR_RETURN(std::vector<double> values, tensorNumbers(node, name + "_as_tensor"));
  return values.empty() ? node.numberList(name).value_or(std::vector<double>()) : values;
}

Result<Forest> readForest(Node& node, std::string_view weights, int64_t targets) {
  Forest forest;
  forest.targets = targets;
  const std::string aggregate = node.text("aggregate_function", "SUM");
  const auto known = std::ranges::find(kAggregates, aggregate);
  if (known == std::end(kAggregates)) {
    return invalidArgument(fmt::format("aggregate_function '{}' is unknown", aggregate));
  }
  forest.aggregate = static_cast<Aggregate>(known - std::begin(kAggregates));
  std::map<NodeNumber, int64_t> places;
  VTA_RETURN_IF_ERROR(readNodes(node, forest, places));
  const std::string prefix(weights);
  VTA_ASSIGN_OR_RETURN(const std::vector<double> values, listedNumbers(node, prefix + "_weights"));
  const size_t count = values.size();
  VTA_ASSIGN_OR_RETURN(const Shape nodes, listedIntegers(node, prefix + "_nodeids", count));
  VTA_ASSIGN_OR_RETURN(const Shape trees, listedIntegers(node, prefix + "_treeids", count));
  VTA_ASSIGN_OR_RETURN(const Shape ids, listedIntegers(node, prefix + "_ids", count));
  for (size_t i = 0; i < count; ++i) {
    VTA_ASSIGN_OR_RETURN(const int64_t leaf, findNode(places, {trees[i], nodes[i]}));
    forest.weights.push_back({leaf, ids[i], values[i]});
  }
  VTA_RETURN_IF_ERROR(checkTargets(forest));
  return forest;
}

Result<Forest> readNewForest(Node& node) {
  Forest forest;
  forest.targets = node.integer("n_targets", 1);
  const int64_t aggregate = node.integer("aggregate_function", 1);
  if (aggregate < 0 || aggregate >= std::ssize(kAggregates)) {
    return invalidArgument(fmt::format("aggregate_function {} is unknown", aggregate));
  }
  forest.aggregate = static_cast<Aggregate>(aggregate);
  const Shape features = node.integerList("nodes_featureids").value_or(Shape());
  const size_t count = features.size();
  VTA_ASSIGN_OR_RETURN(const std::vector<double> splits, tensorNumbers(node, "nodes_splits"));
  VTA_ASSIGN_OR_RETURN(const std::vector<double> modes, tensorNumbers(node, "nodes_modes"));
  VTA_ASSIGN_OR_RETURN(const std::vector<double> weights, tensorNumbers(node, "leaf_weights"));
  VTA_RETURN_IF_ERROR(checkCount("nodes_splits", splits.size(), count));
  VTA_RETURN_IF_ERROR(checkCount("nodes_modes", modes.size(), count));
  VTA_ASSIGN_OR_RETURN(const Shape if_true, listedIntegers(node, "nodes_truenodeids", count));
  VTA_ASSIGN_OR_RETURN(const Shape if_false, listedIntegers(node, "nodes_falsenodeids", count));
  VTA_ASSIGN_OR_RETURN(const Shape true_leafs, listedIntegers(node, "nodes_trueleafs", count));
  VTA_ASSIGN_OR_RETURN(const Shape false_leafs, listedIntegers(node, "nodes_falseleafs", count));
  VTA_ASSIGN_OR_RETURN(const Shape tracks,
                       listedIntegers(node, "nodes_missing_value_tracks_true", count, true));
  VTA_ASSIGN_OR_RETURN(const Shape targets, listedIntegers(node, "leaf_targetids", weights.size()));
  const auto nodes = static_cast<int64_t>(count);
  const auto place = [&](int64_t number, bool is_leaf) {
    return placeOf(number, is_leaf, nodes, std::ssize(weights));
  };
  for (size_t i = 0; i < count; ++i) {
    if (modes[i] == static_cast<double>(SplitMode::kMember)) {
      return unsupported("a node of mode BRANCH_MEMBER is not supported");
    }
    if (!(modes[i] >= 0 && modes[i] < static_cast<double>(SplitMode::kMember))) {
      return invalidArgument(fmt::format("mode {} of a node is unknown", modes[i]));
    }
    TreeNode& made = forest.nodes.emplace_back();
    made.mode = static_cast<SplitMode>(modes[i]);
    made.feature = features[i];
    made.value = splits[i];
    made.missing_is_true = tracks[i] != 0;
    VTA_ASSIGN_OR_RETURN(made.if_true, place(if_true[i], true_leafs[i] != 0));
    VTA_ASSIGN_OR_RETURN(made.if_false, place(if_false[i], false_leafs[i] != 0));
  }
  for (size_t i = 0; i < weights.size(); ++i) {
    const int64_t leaf = nodes + static_cast<int64_t>(i);
    TreeNode& made = forest.nodes.emplace_back();
    made.if_true = made.if_false = leaf;
    forest.weights.push_back({leaf, targets[i], weights[i]});
  }
  for (const int64_t root : node.integerList("tree_roots").value_or(Shape())) {
    VTA_ASSIGN_OR_RETURN(forest.roots.emplace_back(), place(root, false));
  }
  VTA_RETURN_IF_ERROR(checkTargets(forest));
  return forest;
}

}  // namespace vta::compiler
