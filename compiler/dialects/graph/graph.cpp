#include "compiler/dialects/graph/graph.h"

#include "compiler/dialects/graph/evaluate.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/Interfaces/FoldInterfaces.h"

// Generated code has unused parameters.
#pragma GCC diagnostic ignored "-Wunused-parameter"
#include "compiler/dialects/graph/graph_dialect.cpp.inc"
#include "compiler/dialects/graph/graph_enums.cpp.inc"

namespace vta::graph {
namespace {

/// Folds every op on small constants. Large ones are left to graph-fold-constants: a fold may run
/// many times, and what it makes lives as long as the context.
class ConstantFolder : public mlir::DialectFoldInterface {
 public:
  using DialectFoldInterface::DialectFoldInterface;

  mlir::LogicalResult fold(mlir::Operation* op, llvm::ArrayRef<mlir::Attribute> operands,
                           llvm::SmallVectorImpl<mlir::OpFoldResult>& results) const override {
    constexpr int64_t kMaxElems = 1024;
    // Quantised constants stay visible to the quantiser.
    if (mlir::isa<DequantizeOp, QuantizeOp>(op)) return mlir::failure();
    if (op->getNumResults() != 1 || op->getNumRegions() > 0) return mlir::failure();
    auto type = mlir::cast<mlir::RankedTensorType>(op->getResult(0).getType());
    if (type.getNumElements() > kMaxElems) return mlir::failure();
    llvm::SmallVector<mlir::DenseElementsAttr> constants;
    for (mlir::Attribute operand : operands) {
      auto constant = mlir::dyn_cast_or_null<mlir::DenseElementsAttr>(operand);
      if (!constant) return mlir::failure();
      constants.push_back(constant);
    }
    mlir::DenseElementsAttr value = evaluate(op, constants);
    if (!value) return mlir::failure();
    results.push_back(value);
    return mlir::success();
  }
};

}  // namespace

void GraphDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "compiler/dialects/graph/graph_ops.cpp.inc"
      >();
  addInterfaces<ConstantFolder>();
}

mlir::Operation* GraphDialect::materializeConstant(mlir::OpBuilder& builder, mlir::Attribute value,
                                                   mlir::Type type, mlir::Location location) {
  return mlir::arith::ConstantOp::materialize(builder, value, type, location);
}

}  // namespace vta::graph

#define GET_OP_CLASSES
#include "compiler/dialects/graph/graph_ops.cpp.inc"
