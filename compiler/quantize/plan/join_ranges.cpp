#include "compiler/quantize/plan/join_ranges.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "compiler/dialects/graph/graph.h"
#include "compiler/quantize/plan/offset_classes.h"

namespace vta::compiler {
namespace {

using Kind = QuantNode::Kind;
using mlir::Value;

/// Statistics of a part that is all but silent mean little.
constexpr int kMostExponent = 6;
/// Ranges that differ less cost less than a float concatenation does.
constexpr double kUneven = 4;

double rangeOf(const ChannelStats& stats) {
  return stats.max_abs.empty() ? 0 : *std::ranges::max_element(stats.max_abs);
}

class JoinFinder {
 public:
  explicit JoinFinder(const QuantPlan& plan) {
    for (const QuantNode& node : plan.nodes) by_anchor_[node.anchor] = &node;
  }

  /// The contractions that alone read what `node` joins along the channels; none if it is no such
  /// node.
  std::vector<const QuantNode*> contractionsBehind(const QuantNode& node) const {
    auto concat = mlir::dyn_cast<graph::ConcatOp>(node.anchor);
    if (node.kind != Kind::kMove || !concat || concat.getAxis() != 1) return {};
    std::vector<const QuantNode*> readers;
    for (mlir::OpOperand& use : node.output.getUses()) {
      const QuantNode* reader = by_anchor_.lookup(use.getOwner());
      if (!reader || use.getOperandNumber() != 0 || !contracts(*reader) || reader->keeps_weights) {
        return {};
      }
      readers.push_back(reader);
    }
    // What takes the place of weights has a scale that others follow.
    for (Value input : node.inputs) {
      for (mlir::Operation* user : input.getUsers()) {
        const QuantNode* reader = by_anchor_.lookup(user);
        if (reader && reader->kind == Kind::kMatMulPair) return {};
      }
    }
    return readers;
  }

 private:
  static bool contracts(const QuantNode& node) {
    return node.kind == Kind::kConv || node.kind == Kind::kMatMul;
  }

  llvm::DenseMap<mlir::Operation*, const QuantNode*> by_anchor_;
};

int64_t channelsOf(Value value) {
  return mlir::cast<mlir::RankedTensorType>(value.getType()).getDimSize(1);
}

/// The largest weight that multiplies each part.
std::vector<double> weightsOfParts(const QuantNode& join,
                                   const std::vector<const QuantNode*>& readers) {
  std::vector<size_t> part_of;
  for (size_t part = 0; part < join.inputs.size(); ++part) {
    part_of.insert(part_of.end(), static_cast<size_t>(channelsOf(join.inputs[part])), part);
  }
  std::vector<double> largest(join.inputs.size(), 0);
  for (const QuantNode* reader : readers) {
    const std::vector<float> weights = floatConstant(reader->anchor->getOperand(1));
    const InputChannels channels = inputChannels(*reader);
    for (size_t i = 0; i < weights.size(); ++i) {
      double& most = largest[part_of[static_cast<size_t>(channels.of(static_cast<int64_t>(i)))]];
      most = std::max(most, static_cast<double>(std::abs(weights[i])));
    }
  }
  return largest;
}

/// log2 of how much finer each part is than the one with the largest range. The root balances what
/// the part gains against what its weights lose: nothing where they are as much larger.
std::vector<int> exponentsOfParts(const std::vector<double>& ranges,
                                  const std::vector<double>& weights) {
  const auto widest = static_cast<size_t>(std::ranges::max_element(ranges) - ranges.begin());
  std::vector<int> exponents;
  for (size_t part = 0; part < ranges.size(); ++part) {
    const double finer = ranges[part] > 0 ? ranges[widest] / ranges[part] : 1;
    const double heavier = weights[widest] > 0 ? weights[part] / weights[widest] : 1;
    const double gain = std::min(std::sqrt(finer * std::max(heavier, 1.0)), finer);
    exponents.push_back(
        std::clamp(static_cast<int>(std::floor(std::log2(gain) + 0.5)), 0, kMostExponent));
  }
  return exponents;
}

/// Whether floats alone read `value`, perhaps behind moves, which are added.
bool leavesIntegers(Value value, llvm::DenseSet<mlir::Operation*>& moves) {
  return llvm::all_of(value.getUsers(), [&](mlir::Operation* user) {
    if (mlir::isa<mlir::func::ReturnOp>(user)) return true;
    if (!mlir::isa<graph::ReshapeOp, graph::TransposeOp, graph::ConcatOp, graph::SliceOp>(user)) {
      return false;
    }
    moves.insert(user);
    return leavesIntegers(user->getResult(0), moves);
  });
}

}  // namespace

std::vector<int> joinExponents(const QuantPlan& plan, const std::vector<ChannelStats>& stats) {
  // Activations whose scales differ by powers of two; what contradicts the joins before is left.
  OffsetClasses classes(plan.activations.size());
  const auto place = [&](Value value) { return static_cast<size_t>(plan.indexOf(value)); };
  const JoinFinder finder(plan);
  std::vector<std::pair<const QuantNode*, std::vector<const QuantNode*>>> joins;
  for (const QuantNode& node : plan.nodes) {
    if (node.kind != Kind::kMove && node.kind != Kind::kClip) continue;
    std::vector<const QuantNode*> readers = finder.contractionsBehind(node);
    if (!readers.empty()) {
      joins.emplace_back(&node, std::move(readers));
      continue;
    }
    for (Value input : node.inputs) classes.relate(place(input), place(node.output), 0);
  }
  for (const auto& [node, readers] : joins) {
    std::vector<double> ranges;
    for (Value input : node->inputs) ranges.push_back(rangeOf(stats[place(input)]));
    const std::vector<int> exponents = exponentsOfParts(ranges, weightsOfParts(*node, readers));
    for (size_t part = 0; part < exponents.size(); ++part) {
      classes.relate(place(node->inputs[part]), place(node->output), exponents[part]);
    }
  }
  std::vector<int> exponents;
  for (size_t i = 0; i < plan.activations.size(); ++i) {
    exponents.push_back(static_cast<int>(classes.find(i).offset));
  }
  return exponents;
}

void addJoinFactors(const QuantPlan& plan, const std::vector<int>& exponents,
                    std::vector<std::vector<float>>& factors) {
  const JoinFinder finder(plan);
  const auto place = [&](Value value) { return static_cast<size_t>(plan.indexOf(value)); };
  for (const QuantNode& node : plan.nodes) {
    if (finder.contractionsBehind(node).empty()) continue;
    const size_t out = place(node.output);
    const bool is_even = llvm::all_of(
        node.inputs, [&](Value input) { return exponents[place(input)] == exponents[out]; });
    if (is_even) continue;
    factors[out].clear();
    for (Value input : node.inputs) {
      const int finer = exponents[place(input)] - exponents[out];
      factors[out].insert(factors[out].end(), static_cast<size_t>(channelsOf(input)),
                          std::ldexp(1.0F, finer));
    }
  }
}

void leaveUnevenJoins(QuantPlan& plan, const std::vector<ChannelStats>& stats) {
  llvm::DenseSet<mlir::Operation*> left;
  for (const QuantNode& node : plan.nodes) {
    if (node.kind != Kind::kMove || !mlir::isa<graph::ConcatOp>(node.anchor)) continue;
    double least = std::numeric_limits<double>::infinity(), most = 0;
    for (Value input : node.inputs) {
      const double range = rangeOf(stats[static_cast<size_t>(plan.indexOf(input))]);
      if (range > 0) least = std::min(least, range);
      most = std::max(most, range);
    }
    llvm::DenseSet<mlir::Operation*> moves{node.anchor};
    if (most < kUneven * least || !leavesIntegers(node.output, moves)) continue;
    left.insert(moves.begin(), moves.end());
  }
  llvm::erase_if(plan.nodes, [&](const QuantNode& node) { return left.contains(node.anchor); });
}

}  // namespace vta::compiler
