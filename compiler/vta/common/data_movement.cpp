#include "compiler/vta/common/data_movement.h"

#include "compiler/dialects/graph/graph.h"
#include "compiler/dialects/graph/work.h"
#include "compiler/dialects/vta/vta.h"

namespace vta::compiler {

bool isDataMovement(mlir::Operation* op) {
  return graph::isDataMovement(op) || mlir::isa<PackOp, UnpackOp>(op);
}

bool comesFromHost(mlir::Value value) {
  while (mlir::Operation* op = value.getDefiningOp()) {
    if (mlir::isa<graph::QuantizeOp>(op)) return true;
    if (!isDataMovement(op)) return false;
    value = op->getOperand(0);
  }
  return true;
}

}  // namespace vta::compiler
