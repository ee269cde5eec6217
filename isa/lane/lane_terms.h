// Canonical forms of integer computations: two that have the same one compute the same, for all
// values of their parameters.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <tuple>
#include <vector>

#include "isa/lane/lane_function.h"

namespace vta {

/// Terms over numbered parameters. Equal terms have equal numbers. The rules that make terms equal
/// hold for integers that wrap: operands of commutative operations are sorted, differences and
/// negations are put together, and a selection by a comparison of what it selects is a minimum or a
/// maximum.
class LaneTerms {
 public:
  using Term = int;

  Term parameter(int number);
  Term constant(int64_t value, int width_bits = kLaneBits);
  /// `step` on terms in place of its operands; those that it does not have are ignored.
  Term apply(const LaneStep& step, Term a, Term b = 0, Term c = 0);
  /// An operation of two values of kLaneBits.
  Term apply(LaneOpcode opcode, Term a, Term b);
  /// What `function` gives for these.
  Term of(const LaneFunction& function, std::span<const Term> params);

  /// Whether the term of f(s x, s y) is s f(x, y) for every factor s that is not negative, as long
  /// as nothing wraps: it consists of sums, differences, minima and maxima. The result is how large
  /// it is at most where the parameters are 1 at most; nothing where it has other parts.
  std::optional<double> homogeneousReach(Term term) const;

 private:
  struct Node {
    LaneOpcode opcode = LaneOpcode::kConstant;
    int width_bits = kLaneBits;
    LanePredicate predicate = LanePredicate::kEq;
    int64_t constant = 0;  // the number of a parameter
    bool is_parameter = false;
    std::array<Term, 3> operands{-1, -1, -1};
    auto key() const {
      return std::tie(is_parameter, opcode, width_bits, predicate, constant, operands);
    }
    bool operator<(const Node& other) const { return key() < other.key(); }
  };

  Term add(const Node& node);
  Term made(LaneOpcode opcode, int width_bits, Term a, Term b);
  Term negated(Term term);
  /// The operand of 0 - operand; none for other terms.
  std::optional<Term> operandOfNegation(Term term) const;
  std::optional<int64_t> constantOf(Term term) const;
  Term difference(int width_bits, Term a, Term b);
  Term sum(int width_bits, Term a, Term b);
  Term selected(Node node);

  std::map<Node, Term> numbers_;
  std::vector<Node> nodes_;
};

}  // namespace vta
