#include "compiler/dialects/graph/work.h"

#include "compiler/dialects/graph/graph.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/TypeUtilities.h"

namespace vta::graph {

bool isIntegerContraction(mlir::Operation* op) {
  if (!mlir::isa<ConvOp, MatMulOp>(op)) return false;
  const auto has_bits = [](mlir::Value value, unsigned bits) {
    return mlir::getElementTypeOrSelf(value.getType()).isSignlessInteger(bits);
  };
  return has_bits(op->getOperand(0), 8) && has_bits(op->getOperand(1), 8) &&
         has_bits(op->getResult(0), 32);
}

int64_t countMacs(mlir::Operation* op) {
  if (!mlir::isa<ConvOp, MatMulOp>(op)) return 0;
  if (auto macs = op->getAttrOfType<mlir::IntegerAttr>(kMacsAttr)) return macs.getInt();
  const auto output = mlir::cast<mlir::RankedTensorType>(op->getResult(0).getType());
  const auto rhs = mlir::cast<mlir::RankedTensorType>(op->getOperand(1).getType());
  int64_t per_output = rhs.getDimSize(rhs.getRank() - 2);
  if (mlir::isa<ConvOp>(op)) {
    per_output = mlir::ShapedType::getNumElements(rhs.getShape().drop_front());
  }
  return output.getNumElements() * per_output;
}

int64_t countResultElems(mlir::Operation* op) {
  int64_t elems = 0;
  for (const mlir::Type type : op->getResultTypes()) {
    if (const auto tensor = mlir::dyn_cast<mlir::RankedTensorType>(type)) {
      elems += tensor.getNumElements();
    }
  }
  return elems;
}

bool isEmpty(mlir::Value value) {
  auto type = mlir::dyn_cast<mlir::RankedTensorType>(value.getType());
  return type && type.getNumElements() == 0;
}

bool isDataMovement(mlir::Operation* op) {
  return mlir::isa<ReshapeOp, TransposeOp, ExpandOp, ConcatOp, SliceOp, PadOp, InterleaveOp>(op);
}

}  // namespace vta::graph
