#include "compiler/dialects/graph/formulas/match_operation.h"

#include <algorithm>

#include "compiler/dialects/graph/graph.h"
#include "compiler/dialects/graph/graph_builder.h"
#include "isa/lane/lane_terms.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SetVector.h"
#include "mlir/IR/BuiltinTypes.h"

namespace vta::graph {
namespace {

using mlir::Operation;
using mlir::Value;
using Term = LaneTerms::Term;

/// Ops of a match, at most: what is looked for grows with its square.
constexpr size_t kMostOps = 12;

bool isFloat(Value value) { return elementTypeOf(value).isF32(); }
bool isNumber(Value value) {
  auto type = mlir::dyn_cast<mlir::RankedTensorType>(value.getType());
  return type &&
         (type.getElementType().isF32() || type.getElementType().isSignlessInteger(kLaneBits));
}

std::optional<LaneOpcode> opcodeOf(BinaryOp op) {
  switch (op.getKind()) {
    case BinaryKind::add:
      return LaneOpcode::kAdd;
    case BinaryKind::sub:
      return LaneOpcode::kSub;
    case BinaryKind::min:
      return LaneOpcode::kMinS;
    case BinaryKind::max:
      return LaneOpcode::kMaxS;
    case BinaryKind::mul:
      if (isFloat(op.getLhs())) return std::nullopt;
      return LaneOpcode::kMul;
    default:
      return std::nullopt;
  }
}

/// Whether all elements of a constant are `number`.
bool isNumber(Value value, int number) {
  const mlir::DenseElementsAttr constant = constantOf(value);
  if (!constant || !constant.isSplat()) return false;
  if (isFloat(value)) return constant.getSplatValue<float>() == static_cast<float>(number);
  return elementTypeOf(value).isSignlessInteger(kLaneBits) &&
         constant.getSplatValue<int32_t>() == number;
}

/// What a multiplication by -1 negates, as the graph has it in place of differences; else null.
Value negatedOperand(BinaryOp op) {
  if (op.getKind() != BinaryKind::mul) return {};
  if (isNumber(op.getRhs(), -1)) return op.getLhs();
  return isNumber(op.getLhs(), -1) ? op.getRhs() : Value();
}

/// An op that terms can describe, element by element.
bool isKnown(Operation* op) {
  if (op->getNumResults() != 1 || !isNumber(op->getResult(0))) return false;
  for (Value operand : op->getOperands()) {
    const bool is_same = operand.getType() == op->getResult(0).getType();
    if (!is_same && !isConstant(operand)) return false;
  }
  if (auto binary = mlir::dyn_cast<BinaryOp>(op)) {
    return opcodeOf(binary).has_value() || negatedOperand(binary);
  }
  if (auto unary = mlir::dyn_cast<UnaryOp>(op)) {
    const UnaryKind kind = unary.getKind();
    return kind == UnaryKind::abs || kind == UnaryKind::neg || kind == UnaryKind::relu;
  }
  return false;
}

class OperationMatcher {
 public:
  OperationMatcher(Operation* root, const UserOperations& operations)
      : root_(root), operations_(operations) {
    collect();
  }

  std::optional<OperationMatch> run() {
    if (!isKnown(root_)) return std::nullopt;
    std::optional<OperationMatch> best;
    const auto keep = [&](std::optional<OperationMatch> match) {
      if (match && (!best || match->ops.size() > best->ops.size())) best = std::move(match);
    };
    for (const auto& operation : operations_.list()) {
      const bool has_y = operation->params.size() == 2 && operation->params[1] == LaneParameter::kY;
      const bool is_plain = has_y || operation->params.size() == 1;
      if (!is_plain) continue;
      for (Value x : candidates_) {
        if (isConstant(x)) continue;
        if (!has_y) keep(match(*operation, x, Value()));
        for (Value y : candidates_) {
          if (has_y && y != x) keep(match(*operation, x, y));
        }
      }
    }
    return best;
  }

 private:
  /// Values in front of the root that may be operands.
  void collect() {
    llvm::SetVector<Operation*> ops;
    if (isKnown(root_)) ops.insert(root_);
    for (size_t i = 0; i < ops.size() && ops.size() <= kMostOps; ++i) {
      for (Value operand : ops[i]->getOperands()) {
        candidates_.insert(operand);
        Operation* op = operand.getDefiningOp();
        if (op && !isConstant(operand) && isKnown(op)) ops.insert(op);
      }
    }
  }

  std::optional<OperationMatch> match(const UserOperation& operation, Value x, Value y) {
    // A constant operand stands for one in each channel; two operands have one shape.
    if (y && !isConstant(y) && y.getType() != x.getType()) return std::nullopt;
    if (x.getType() != root_->getResult(0).getType()) return std::nullopt;
    terms_ = LaneTerms();
    inside_.clear();
    known_.clear();
    llvm::SmallVector<Term> params{terms_.parameter(0)};
    known_[x] = params[0];
    if (y) known_[y] = params.emplace_back(terms_.parameter(1));
    const auto found = termOf(root_->getResult(0), 0);
    const std::span<const Term> span(params.data(), params.size());
    const Term wanted = terms_.of(operation.function, span);
    if (!found || *found != wanted || !readsNothingElse()) return std::nullopt;
    OperationMatch match;
    match.operation = &operation;
    match.x = x;
    match.y = y;
    match.reach = terms_.homogeneousReach(wanted);
    if (y) {
      const Term swapped[] = {params[1], params[0]};
      match.commutes = terms_.of(operation.function, swapped) == wanted;
    }
    match.ops.assign(inside_.begin(), inside_.end());
    llvm::sort(match.ops, [](Operation* a, Operation* b) { return a->isBeforeInBlock(b); });
    return match;
  }

  /// Results of ops inside but the root are read inside only.
  bool readsNothingElse() const {
    return llvm::all_of(inside_, [&](Operation* op) {
      return op == root_ ||
             llvm::all_of(op->getUsers(), [&](Operation* user) { return inside_.contains(user); });
    });
  }

  std::optional<Term> termOf(Value value, size_t depth) {
    if (const auto known = known_.find(value); known != known_.end()) return known->second;
    if (isConstant(value)) return constantTerm(value);
    Operation* op = value.getDefiningOp();
    if (!op || depth > kMostOps || op->getBlock() != root_->getBlock() || !isKnown(op)) {
      return std::nullopt;
    }
    std::optional<Term> term;
    auto binary = mlir::dyn_cast<BinaryOp>(op);
    if (const Value negated = binary ? negatedOperand(binary) : Value()) {
      if (const auto input = termOf(negated, depth + 1)) {
        term = terms_.apply(LaneOpcode::kSub, terms_.constant(0), *input);
      }
    } else if (binary) {
      const auto left = termOf(binary.getLhs(), depth + 1);
      const auto right = termOf(binary.getRhs(), depth + 1);
      if (left && right) term = terms_.apply(*opcodeOf(binary), *left, *right);
    } else {
      auto unary = mlir::cast<UnaryOp>(op);
      if (const auto input = termOf(unary.getInput(), depth + 1)) {
        term = unaryTerm(unary.getKind(), *input);
      }
    }
    if (!term) return std::nullopt;
    inside_.insert(op);
    known_[value] = *term;
    return term;
  }

  Term unaryTerm(UnaryKind kind, Term input) {
    const Term zero = terms_.constant(0);
    if (kind == UnaryKind::relu) return terms_.apply(LaneOpcode::kMaxS, input, zero);
    const Term negated = terms_.apply(LaneOpcode::kSub, zero, input);
    return kind == UnaryKind::neg ? negated : terms_.apply(LaneOpcode::kMaxS, input, negated);
  }

  /// One number for all elements; of floats 0 only, which every scale has.
  std::optional<Term> constantTerm(Value value) {
    const mlir::DenseElementsAttr constant = constantOf(value);
    if (!constant || !constant.isSplat()) return std::nullopt;
    if (!isFloat(value)) {
      if (!elementTypeOf(value).isSignlessInteger(kLaneBits)) return std::nullopt;
      return terms_.constant(constant.getSplatValue<int32_t>());
    }
    if (constant.getSplatValue<float>() != 0) return std::nullopt;
    return terms_.constant(0);
  }

  Operation* root_;
  const UserOperations& operations_;
  llvm::SetVector<Value> candidates_;
  LaneTerms terms_;
  llvm::DenseMap<Value, Term> known_;
  llvm::SetVector<Operation*> inside_;
};

}  // namespace

std::optional<OperationMatch> matchOperation(Operation* root, const UserOperations& operations) {
  if (operations.empty()) return std::nullopt;
  return OperationMatcher(root, operations).run();
}

}  // namespace vta::graph
