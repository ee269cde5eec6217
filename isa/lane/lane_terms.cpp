#include "isa/lane/lane_terms.h"

#include <algorithm>
#include <utility>

namespace vta {

LaneTerms::Term LaneTerms::add(const Node& node) {
  const auto [found, is_new] = numbers_.emplace(node, static_cast<Term>(nodes_.size()));
  if (is_new) nodes_.push_back(node);
  return found->second;
}

LaneTerms::Term LaneTerms::parameter(int number) {
  Node node;
  node.is_parameter = true;
  node.constant = number;
  return add(node);
}

LaneTerms::Term LaneTerms::constant(int64_t value, int width_bits) {
  Node node;
  node.width_bits = width_bits;
  const int unused = 64 - width_bits;
  node.constant = static_cast<int64_t>(static_cast<uint64_t>(value) << unused) >> unused;
  return add(node);
}

std::optional<int64_t> LaneTerms::constantOf(Term term) const {
  const Node& node = nodes_[static_cast<size_t>(term)];
  if (node.is_parameter || node.opcode != LaneOpcode::kConstant) return std::nullopt;
  return node.constant;
}

std::optional<LaneTerms::Term> LaneTerms::operandOfNegation(Term term) const {
  const Node& node = nodes_[static_cast<size_t>(term)];
  if (node.is_parameter || node.opcode != LaneOpcode::kSub) return std::nullopt;
  if (constantOf(node.operands[0]) != 0) return std::nullopt;
  return node.operands[1];
}

LaneTerms::Term LaneTerms::made(LaneOpcode opcode, int width_bits, Term a, Term b) {
  if (laneOpcodeInfo(opcode).is_commutative && b < a) std::swap(a, b);
  Node node;
  node.opcode = opcode;
  node.width_bits = width_bits;
  node.operands = {a, b, -1};
  return add(node);
}

LaneTerms::Term LaneTerms::negated(Term term) {
  const Node node = nodes_[static_cast<size_t>(term)];
  return difference(node.width_bits, constant(0, node.width_bits), term);
}

// a - b, where -(c - d) is d - c, and a - (0 - d) is a + d.
LaneTerms::Term LaneTerms::difference(int width_bits, Term a, Term b) {
  if (a == b) return constant(0, width_bits);
  if (constantOf(b) == 0) return a;
  if (constantOf(a) && constantOf(b)) {
    return constant(static_cast<int64_t>(static_cast<uint64_t>(*constantOf(a)) -
                                         static_cast<uint64_t>(*constantOf(b))),
                    width_bits);
  }
  if (const auto inner = operandOfNegation(b)) return sum(width_bits, a, *inner);
  const Node right = nodes_[static_cast<size_t>(b)];
  if (constantOf(a) == 0 && !right.is_parameter && right.opcode == LaneOpcode::kSub) {
    return difference(width_bits, right.operands[1], right.operands[0]);
  }
  return made(LaneOpcode::kSub, width_bits, a, b);
}

LaneTerms::Term LaneTerms::sum(int width_bits, Term a, Term b) {
  if (constantOf(a) == 0) return b;
  if (constantOf(b) == 0) return a;
  if (constantOf(a) && constantOf(b)) {
    return constant(static_cast<int64_t>(static_cast<uint64_t>(*constantOf(a)) +
                                         static_cast<uint64_t>(*constantOf(b))),
                    width_bits);
  }
  if (const auto inner = operandOfNegation(b)) return difference(width_bits, a, *inner);
  if (const auto inner = operandOfNegation(a)) return difference(width_bits, b, *inner);
  return made(LaneOpcode::kAdd, width_bits, a, b);
}

// c ? p : q, where c compares p with q, or a number with 0 and p is its negation.
LaneTerms::Term LaneTerms::selected(Node node) {
  const auto [condition, chosen, other] = node.operands;
  if (chosen == other) return chosen;
  const Node compare = nodes_[static_cast<size_t>(condition)];
  const bool compares = !compare.is_parameter && compare.opcode == LaneOpcode::kCompare;
  const bool is_less = compares && (compare.predicate == LanePredicate::kSlt ||
                                    compare.predicate == LanePredicate::kSle);
  if (!is_less) return add(node);
  const auto [a, b, unused] = compare.operands;
  if (chosen == a && other == b) return made(LaneOpcode::kMinS, node.width_bits, a, b);
  if (chosen == b && other == a) return made(LaneOpcode::kMaxS, node.width_bits, a, b);
  // x < 0 ? -x : x and 0 < x ? x : -x.
  const bool negative = constantOf(b) == 0 && other == a && chosen == negated(a);
  const bool positive = constantOf(a) == 0 && chosen == b && other == negated(b);
  if (negative || positive) return made(LaneOpcode::kMaxS, node.width_bits, chosen, other);
  return add(node);
}

LaneTerms::Term LaneTerms::apply(LaneOpcode opcode, Term a, Term b) {
  LaneStep step;
  step.opcode = opcode;
  return apply(step, a, b);
}

LaneTerms::Term LaneTerms::apply(const LaneStep& step, Term a, Term b, Term c) {
  const LaneOpcodeInfo& info = laneOpcodeInfo(step.opcode);
  Node node;
  node.opcode = step.opcode;
  node.width_bits = step.width_bits;
  node.operands = {a, info.operands > 1 ? b : -1, info.operands > 2 ? c : -1};
  switch (step.opcode) {
    case LaneOpcode::kConstant:
      return constant(step.constant, step.width_bits);
    case LaneOpcode::kAdd:
      return sum(step.width_bits, a, b);
    case LaneOpcode::kSub:
      return difference(step.width_bits, a, b);
    case LaneOpcode::kMinS:
    case LaneOpcode::kMaxS:
      return a == b ? a : made(step.opcode, step.width_bits, a, b);
    case LaneOpcode::kSelect:
      return selected(node);
    case LaneOpcode::kCompare: {
      node.predicate = step.predicate;
      // a > b is b < a.
      const bool swaps =
          step.predicate == LanePredicate::kSgt || step.predicate == LanePredicate::kSge;
      if (swaps) {
        std::swap(node.operands[0], node.operands[1]);
        node.predicate =
            step.predicate == LanePredicate::kSgt ? LanePredicate::kSlt : LanePredicate::kSle;
      }
      return add(node);
    }
    default:
      break;
  }
  if (info.is_commutative) return made(step.opcode, step.width_bits, a, b);
  return add(node);
}

LaneTerms::Term LaneTerms::of(const LaneFunction& function, std::span<const Term> params) {
  std::vector<Term> values(params.begin(), params.end());
  for (const LaneStep& step : function.steps) {
    const auto at = [&](size_t i) {
      const size_t value = step.operands[i];
      return value < values.size() ? values[value] : Term{0};
    };
    values.push_back(apply(step, at(0), at(1), at(2)));
  }
  return values[function.result];
}

std::optional<double> LaneTerms::homogeneousReach(Term term) const {
  const Node& node = nodes_[static_cast<size_t>(term)];
  if (node.is_parameter) return 1;
  if (constantOf(term) == 0) return 0;
  const bool adds = node.opcode == LaneOpcode::kAdd || node.opcode == LaneOpcode::kSub;
  const bool picks = node.opcode == LaneOpcode::kMinS || node.opcode == LaneOpcode::kMaxS;
  if ((!adds && !picks) || node.width_bits != kLaneBits) return std::nullopt;
  const auto left = homogeneousReach(node.operands[0]);
  const auto right = homogeneousReach(node.operands[1]);
  if (!left || !right) return std::nullopt;
  return adds ? *left + *right : std::max(*left, *right);
}

}  // namespace vta
