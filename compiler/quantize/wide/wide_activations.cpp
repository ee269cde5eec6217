#include "compiler/quantize/wide/wide_activations.h"

#include "compiler/dialects/graph/graph.h"
#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/ADT/MapVector.h"

namespace vta::compiler {
namespace {

using Kind = QuantNode::Kind;
using mlir::Value;

bool isChannelConcat(const QuantNode& node) {
  auto concat = mlir::dyn_cast<graph::ConcatOp>(node.anchor);
  return node.kind == Kind::kMove && concat && concat.getAxis() == 1 &&
         mlir::cast<mlir::RankedTensorType>(node.output.getType()).getRank() == 4;
}

class CandidateFinder {
 public:
  explicit CandidateFinder(const QuantPlan& plan) : plan_(plan) {
    for (const QuantNode& node : plan.nodes) {
      if (node.kind == Kind::kConv) readers_.insert(node.anchor);
      if (isChannelConcat(node)) readers_.insert(node.anchor);
      producers_[node.output] = &node;
    }
  }

  std::vector<WideCandidate> run() {
    for (size_t i = 0; i < plan_.activations.size(); ++i) classes_.insert(static_cast<int>(i));
    for (const QuantNode& node : plan_.nodes) {
      if (!isChannelConcat(node)) continue;
      for (Value input : node.inputs) {
        classes_.unionSets(plan_.indexOf(input), plan_.indexOf(node.output));
      }
    }
    llvm::MapVector<int, WideCandidate> candidates;
    llvm::DenseSet<int> refused;
    for (int i = 0; i < static_cast<int>(plan_.activations.size()); ++i) {
      const int leader = classes_.getLeaderValue(i);
      WideCandidate& candidate = candidates[leader];
      candidate.activations.push_back(i);
      const QuantNode* producer = producers_.lookup(plan_.activations[static_cast<size_t>(i)]);
      if (!isEligible(i, producer)) {
        refused.insert(leader);
      } else if (producer->kind == Kind::kConv) {
        candidate.producers.push_back(producer);
      }
    }
    std::vector<WideCandidate> result;
    for (auto& [leader, candidate] : candidates) {
      if (!refused.contains(leader)) result.push_back(std::move(candidate));
    }
    return result;
  }

 private:
  bool isEligible(int activation, const QuantNode* producer) const {
    if (!producer) return false;
    if (!isChannelConcat(*producer) && (producer->kind != Kind::kConv || producer->residual)) {
      return false;
    }
    Value value = plan_.activations[static_cast<size_t>(activation)];
    return llvm::all_of(value.getUses(), [&](mlir::OpOperand& use) {
      mlir::Operation* user = use.getOwner();
      if (!readers_.contains(user)) return false;
      return !mlir::isa<graph::ConvOp>(user) || use.getOperandNumber() == 0;
    });
  }

  const QuantPlan& plan_;
  llvm::DenseSet<mlir::Operation*> readers_;
  llvm::DenseMap<Value, const QuantNode*> producers_;
  llvm::EquivalenceClasses<int> classes_;
};

}  // namespace

std::vector<WideCandidate> wideCandidates(const QuantPlan& plan) {
  return CandidateFinder(plan).run();
}

}  // namespace vta::compiler
