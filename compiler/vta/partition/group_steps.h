// Integer graph ops as ALU operations.
#pragma once

#include "compiler/dialects/graph/formulas/match_operation.h"
#include "compiler/dialects/graph/graph.h"
#include "compiler/vta/partition/group.h"

namespace vta::compiler {

/// `op` as a function of its one non-constant operand.
struct ConstantSteps {
  mlir::Value operand;
  std::vector<GroupStep> steps;  // in execution order; clip_int may need two
};

/// Translates an element-wise op whose other operands are constants, or a square. The error says
/// why `hw` has no such ALU operation.
Result<ConstantSteps> constantSteps(mlir::Operation* op, const HwConfig& hw);

/// The ALU operation that combines two activations; for these kinds the order does not matter. The
/// error says why `hw` has none.
Result<AluOpcode> pairOpcode(graph::BinaryKind kind, const HwConfig& hw);

/// `match`, whose second operand is a constant or absent, as a step on its x. The error says why
/// the constant does not fit.
Result<ConstantSteps> operationSteps(const graph::OperationMatch& match);

/// The bias operand of a convolution as an ADD.
Result<GroupStep> biasStep(mlir::Value bias);

}  // namespace vta::compiler
