#include "compiler/dialects/graph/evaluate.h"
#include "compiler/graph_passes/pass_utils.h"
#include "compiler/graph_passes/passes.h"

namespace vta::compiler {

#define GEN_PASS_DEF_GRAPHFOLDCONSTANTSPASS
#include "compiler/graph_passes/passes.h.inc"

namespace {

/// Above this, a constant is worth its memory only if it is no larger than what it comes from.
constexpr int64_t kSmallElems = 1 << 16;

/// Splats take no memory and stay splats.
int64_t storedElems(mlir::DenseElementsAttr constant) {
  return constant.isSplat() ? 1 : constant.getNumElements();
}

bool isWorthFolding(mlir::Operation* op, llvm::ArrayRef<mlir::DenseElementsAttr> operands) {
  int64_t result = graph::tensorType(op->getResult(0)).getNumElements();
  if (result <= kSmallElems) return true;
  int64_t stored = 0;
  bool all_splat = true;
  for (mlir::DenseElementsAttr operand : operands) {
    stored += storedElems(operand);
    all_splat = all_splat && operand.isSplat();
  }
  bool stays_splat = all_splat && !mlir::isa<graph::ConcatOp, graph::PadOp>(op);
  return stays_splat || result <= 2 * stored;
}

class GraphFoldConstantsPass : public impl::GraphFoldConstantsPassBase<GraphFoldConstantsPass> {
 public:
  void runOnOperation() final;
};

void GraphFoldConstantsPass::runOnOperation() {
  // In program order, so that chains fold in one walk.
  getOperation().walk([](mlir::Operation* op) {
    bool is_graph_op = mlir::isa_and_nonnull<graph::GraphDialect>(op->getDialect());
    // Quantised constants stay visible to the quantiser.
    if (!is_graph_op || mlir::isa<graph::DequantizeOp>(op)) return;
    if (op->getNumResults() != 1 || op->getNumRegions() > 0) return;
    llvm::SmallVector<mlir::DenseElementsAttr> operands;
    for (mlir::Value operand : op->getOperands()) {
      operands.push_back(graph::constantOf(operand));
      if (!operands.back()) return;
    }
    if (!isWorthFolding(op, operands)) return;
    mlir::DenseElementsAttr value = graph::evaluate(op, operands);
    // A constant of an unsigned type is a cast of its bits, and stays one.
    const bool is_bits = mlir::isa<graph::CastOp>(op);
    if (!value || (is_bits && value.getElementType().isUnsignedInteger())) return;
    mlir::OpBuilder builder(op);
    graph::GraphBuilder build(builder, op->getLoc(), graph::Folding::kNone);
    op->getResult(0).replaceAllUsesWith(build.constant(value));
    op->erase();
  });
}

}  // namespace

}  // namespace vta::compiler
