// Ensembles of decision trees as tables, and their evaluation by graph ops.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "compiler/frontend/onnx/compose.h"

namespace vta::compiler {

/// What a node asks of its feature x; the codes of operator TreeEnsemble, then a leaf.
enum class SplitMode : uint8_t { kLeq, kLess, kGeq, kGreater, kEqual, kNotEqual, kMember, kLeaf };

struct TreeNode {
  SplitMode mode = SplitMode::kLeaf;
  int64_t feature = 0;
  double value = 0;
  int64_t if_true = 0, if_false = 0;  // among Forest::nodes; of a leaf, itself
  bool missing_is_true = false;       // where x is NaN
};

/// A leaf gives `weight` to one of the targets.
struct LeafWeight {
  int64_t leaf = 0, target = 0;
  double weight = 0;
};

enum class Aggregate : uint8_t { kAverage, kSum, kMin, kMax };

struct Forest {
  std::vector<TreeNode> nodes;  // of all trees
  std::vector<int64_t> roots;
  std::vector<LeafWeight> weights;
  int64_t targets = 0;
  Aggregate aggregate = Aggregate::kSum;
};

/// The forest that the attributes nodes_* and `weights`_nodeids, _treeids, _ids and _weights of
/// TreeEnsembleClassifier ("class") and TreeEnsembleRegressor ("target") describe.
Result<Forest> readForest(Node& node, std::string_view weights, int64_t targets);
/// The forest of a TreeEnsemble (ai.onnx.ml 5).
Result<Forest> readNewForest(Node& node);

/// What each of the rows [N, F] of `features` gets from the leaves: [N, targets].
mlir::Value evaluateForest(Composer& c, const Forest& forest, mlir::Value features);

/// The input of a node as rows of floats: a vector is one row.
mlir::Value featureRows(Composer& c, mlir::Value input);

/// Scores [N, K] after the attribute post_transform, a name. An error for PROBIT.
mlir::Value postTransform(Composer& c, mlir::Value scores, std::string_view name);

/// The attribute `name`, or `name`_as_tensor, as numbers.
Result<std::vector<double>> listedNumbers(Node& node, const std::string& name);

}  // namespace vta::compiler
