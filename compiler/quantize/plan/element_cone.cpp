#include "compiler/quantize/plan/element_cone.h"

#include <algorithm>

#include "compiler/dialects/graph/evaluate_elementwise.h"
#include "compiler/dialects/graph/graph.h"
#include "compiler/dialects/graph/graph_builder.h"

namespace vta::compiler {
namespace {

using mlir::Operation;
using mlir::RankedTensorType;
using mlir::Value;

/// Longer functions are rare, and reaching further back takes quadratic time.
constexpr size_t kMaxSteps = 48;

RankedTensorType typeOf(Value value) { return mlir::cast<RankedTensorType>(value.getType()); }

bool isReal(Value value) { return typeOf(value).getElementType().isF32(); }

/// Floats, and the truth values that choose between them.
bool isRealOrTruth(Value value) {
  return isReal(value) || typeOf(value).getElementType().isInteger(1);
}

/// True for element-wise ops that graph::evaluate has on floats and truth values.
bool isElementwise(Operation* op) {
  if (auto unary = mlir::dyn_cast<graph::UnaryOp>(op)) {
    return unary.getKind() == graph::UnaryKind::logical_not ||
           (isReal(unary.getInput()) && isReal(unary.getOutput()));
  }
  if (auto binary = mlir::dyn_cast<graph::BinaryOp>(op)) {
    return isReal(binary.getLhs()) ? graph::isComparison(binary.getKind()) ||
                                         graph::evaluateBinary(binary.getKind(), 1.0, 1.0)
                                   : !isReal(binary.getOutput());
  }
  return mlir::isa<graph::ClipOp, graph::WhereOp>(op);
}

/// True when `constant`, broadcast to `full`, varies along the channels at most: axis 1 of images,
/// else the last one.
bool isPerChannel(RankedTensorType constant, RankedTensorType full) {
  const int64_t rank = full.getRank(), missing = rank - constant.getRank();
  if (missing < 0) return false;
  const int64_t axis = rank == 4 ? 1 : rank - 1;
  for (int64_t d = 0; d < constant.getRank(); ++d) {
    if (constant.getDimSize(d) != 1 && (d + missing != axis || rank == 1)) return false;
  }
  return true;
}

/// `from` with the steps of `more` that it has not; both are in program order.
void merge(ElementCone& from, const ElementCone& more) {
  for (const ElementStep& step : more.steps) {
    const bool known =
        llvm::any_of(from.steps, [&](const ElementStep& s) { return s.op == step.op; });
    if (!known) from.steps.push_back(step);
  }
  llvm::stable_sort(from.steps, [](const ElementStep& a, const ElementStep& b) {
    return a.op->isBeforeInBlock(b.op);
  });
}

ElementStep stepOf(Operation* op) { return {op, llvm::SmallVector<Value, 3>(op->getOperands())}; }

/// What `op` reads besides constants; none if it cannot be a step.
llvm::SmallVector<Value, 3> variablesOf(Operation* op) {
  const auto is_tensor = llvm::IsaPred<RankedTensorType>;
  if (op->getNumResults() != 1 || op->getNumOperands() == 0 ||
      !llvm::all_of(op->getOperandTypes(), is_tensor) || !isElementwise(op) ||
      !isRealOrTruth(op->getResult(0))) {
    return {};
  }
  const RankedTensorType full = typeOf(op->getResult(0));
  llvm::SmallVector<Value, 3> variables;
  for (Value operand : op->getOperands()) {
    if (!isRealOrTruth(operand)) return {};
    if (graph::isConstant(operand)) {
      if (!isPerChannel(typeOf(operand), full)) return {};
    } else if (typeOf(operand).getShape() == full.getShape()) {
      variables.push_back(operand);
    } else {
      return {};
    }
  }
  return variables;
}

/// What a step adds a constant to, or multiplies by one; null if it does something else.
Value affineOperand(const ElementStep& step) {
  auto binary = mlir::dyn_cast<graph::BinaryOp>(step.op);
  if (!binary ||
      (binary.getKind() != graph::BinaryKind::add && binary.getKind() != graph::BinaryKind::sub &&
       binary.getKind() != graph::BinaryKind::mul)) {
    return {};
  }
  const bool left = graph::isConstant(step.operands[0]),
             right = graph::isConstant(step.operands[1]);
  if (left == right) return {};
  return step.operands[left ? 1 : 0];
}

bool variesAlongChannels(const ElementStep& step) {
  return llvm::any_of(step.operands, [](Value operand) {
    const mlir::DenseElementsAttr constant = graph::constantOf(operand);
    return constant && !constant.isSplat();
  });
}

}  // namespace

Value valueBeforeNormalisation(const ElementCone& cone, size_t* first) {
  Value found;
  size_t at = cone.steps.size();
  Value value = cone.steps.back().op->getResult(0);
  while (at > 0 && cone.steps[at - 1].op->getResult(0) == value) {
    const ElementStep& step = cone.steps[at - 1];
    value = affineOperand(step);
    if (!value) break;
    --at;
    if (!variesAlongChannels(step)) continue;
    found = value;
    *first = at;
  }
  const bool is_all = llvm::all_of(llvm::ArrayRef(cone.steps).take_front(at), affineOperand);
  return is_all ? Value() : found;
}

std::optional<ElementCone> ElementCones::join(Operation* op, IsActivation is_activation) const {
  ElementCone joined;
  for (Value variable : variablesOf(op)) {
    ElementCone part;
    if (const auto known = longest_.find(variable); known != longest_.end()) {
      part = known->second;
    } else if (is_activation(variable)) {
      part.source = variable;
    } else {
      return std::nullopt;
    }
    if (joined.source && joined.source != part.source) return std::nullopt;
    joined.source = part.source;
    merge(joined, part);
  }
  if (!joined.source || joined.steps.size() >= kMaxSteps) return std::nullopt;
  joined.steps.push_back(stepOf(op));
  return joined;
}

void ElementCones::observe(Operation* op, IsActivation is_activation) {
  const llvm::SmallVector<Value, 3> variables = variablesOf(op);
  if (variables.empty() || typeOf(op->getResult(0)).getRank() == 0) return;
  Value result = op->getResult(0);
  std::optional<ElementCone> longest = join(op, is_activation);
  const Value first = variables.front();
  if (llvm::all_equal(variables) && is_activation(first)) {
    shortest_[result] = {first, {stepOf(op)}};
  } else if (const auto inner = shortest_.find(first);
             llvm::all_equal(variables) && inner != shortest_.end()) {
    ElementCone extended = inner->second;
    extended.steps.push_back(stepOf(op));
    if (extended.steps.size() <= kMaxSteps) shortest_[result] = std::move(extended);
  } else if (longest) {
    shortest_[result] = *longest;
  }
  if (longest) longest_[result] = *std::move(longest);
}

const ElementCone* ElementCones::find(Value value) const {
  const auto found = shortest_.find(value);
  return found == shortest_.end() ? nullptr : &found->second;
}

}  // namespace vta::compiler
