#include "explore/tune/model/model_text.h"

#include <fmt/format.h>

#include <string>
#include <vector>

namespace vta::tune {
namespace {

using ModelJson = nlohmann::json;

constexpr size_t kMostNodes = 1'000'000;
constexpr size_t kMostTrees = 100'000;

/// The lists of a tree, one entry for each node, and what they hold.
struct NodeList {
  const char* key;
  bool is_whole;
  int64_t least, most;  // of whole numbers
};

std::vector<NodeList> nodeLists(int64_t nodes, int64_t features) {
  constexpr int64_t kNoParent = 2147483647;
  return {{"left_children", true, -1, nodes - 1},
          {"right_children", true, -1, nodes - 1},
          {"parents", true, -1, kNoParent},
          {"split_indices", true, 0, features - 1},
          {"split_type", true, 0, 0},
          {"default_left", true, 0, 1},
          {"split_conditions", false, 0, 0},
          {"base_weights", false, 0, 0},
          {"loss_changes", false, 0, 0},
          {"sum_hessian", false, 0, 0}};
}

Status notATree(const std::string& what) {
  return invalidArgument(
      fmt::format("the cost model is damaged: {}: make one with vta-dataset --cost-model", what));
}

/// From the root on, each node is reached once.
Status checkShape(const ModelJson& tree, size_t nodes) {
  std::vector<bool> is_reached(nodes, false);
  std::vector<size_t> left = {0};
  while (!left.empty()) {
    const size_t node = left.back();
    left.pop_back();
    if (is_reached[node]) return notATree("nodes of a tree form a circle");
    is_reached[node] = true;
    const auto first = tree["left_children"][node].get<int64_t>();
    const auto second = tree["right_children"][node].get<int64_t>();
    if ((first < 0) != (second < 0)) return notATree("a node of a tree has one child");
    if (first < 0) continue;
    left.push_back(static_cast<size_t>(first));
    left.push_back(static_cast<size_t>(second));
  }
  return {};
}

Result<ModelJson> checkedTree(const ModelJson& saved, size_t features) {
  if (!saved.is_object() || !saved.contains("left_children") ||
      !saved["left_children"].is_array()) {
    return notATree("a tree has no nodes");
  }
  const size_t nodes = saved["left_children"].size();
  if (nodes == 0 || nodes > kMostNodes) return notATree(fmt::format("a tree of {} nodes", nodes));
  const std::string count = fmt::format("{}", nodes);
  ModelJson tree = {{"id", 0},
                    {"categories", ModelJson::array()},
                    {"categories_nodes", ModelJson::array()},
                    {"categories_segments", ModelJson::array()},
                    {"categories_sizes", ModelJson::array()},
                    {"tree_param",
                     {{"num_deleted", "0"},
                      {"num_feature", fmt::format("{}", features)},
                      {"num_nodes", count},
                      {"size_leaf_vector", "0"}}}};
  for (const NodeList& list :
       nodeLists(static_cast<int64_t>(nodes), static_cast<int64_t>(features))) {
    const ModelJson values = saved.value(list.key, ModelJson());
    if (!values.is_array() || values.size() != nodes) {
      return notATree(fmt::format("'{}' of a tree is no list of {} entries", list.key, nodes));
    }
    for (const ModelJson& value : values) {
      const bool is_legal =
          list.is_whole ? value.is_number_integer() && value >= list.least && value <= list.most
                        : value.is_number();
      if (!is_legal) return notATree(fmt::format("'{}' of a tree has a wrong entry", list.key));
    }
    tree[list.key] = values;
  }
  VTA_RETURN_IF_ERROR(checkShape(tree, nodes));
  return tree;
}

ModelJson objectiveOf(bool ranks) {
  if (!ranks) {
    return {{"name", "reg:squarederror"}, {"reg_loss_param", {{"scale_pos_weight", "1"}}}};
  }
  return {{"name", "rank:pairwise"},
          {"lambda_rank_param", {{"fix_list_weight", "0"}, {"num_pairsample", "1"}}}};
}

}  // namespace

Result<ModelJson> checkedModel(const ModelJson& saved, size_t features, bool ranks) {
  const ModelJson::json_pointer place("/learner/gradient_booster/model/trees");
  const ModelJson version = saved.is_object() ? saved.value("version", ModelJson()) : ModelJson();
  if (!version.is_array() || version.size() != 3 || !version[0].is_number_unsigned() ||
      !version[1].is_number_unsigned() || !version[2].is_number_unsigned() ||
      !saved.contains(place) || !saved[place].is_array() || saved[place].empty() ||
      saved[place].size() > kMostTrees) {
    return notATree("it has no trees of XGBoost");
  }
  ModelJson trees = ModelJson::array();
  for (const ModelJson& each : saved[place]) {
    VTA_ASSIGN_OR_RETURN(ModelJson tree, checkedTree(each, features));
    tree["id"] = trees.size();
    trees.push_back(std::move(tree));
  }
  const size_t count = trees.size();
  ModelJson model = {{"gbtree_model_param",
                      {{"num_parallel_tree", "1"},
                       {"num_trees", fmt::format("{}", count)},
                       {"size_leaf_vector", "0"}}},
                     {"tree_info", std::vector<int>(count, 0)},
                     {"trees", std::move(trees)}};
  ModelJson learner = {{"attributes", ModelJson::object()},
                       {"feature_names", ModelJson::array()},
                       {"feature_types", ModelJson::array()},
                       {"gradient_booster", {{"name", "gbtree"}, {"model", std::move(model)}}},
                       {"learner_model_param",
                        {{"base_score", ranks ? "5E-1" : "0E0"},
                         {"boost_from_average", "0"},
                         {"num_class", "0"},
                         {"num_feature", fmt::format("{}", features)},
                         {"num_target", "1"}}},
                       {"objective", objectiveOf(ranks)}};
  return ModelJson{{"learner", std::move(learner)}, {"version", version}};
}

}  // namespace vta::tune
