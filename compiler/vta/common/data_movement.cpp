#include "compiler/vta/common/data_movement.h"

#include "compiler/dialects/graph/work.h"
#include "compiler/dialects/vta/vta.h"

namespace vta::compiler {

bool isDataMovement(mlir::Operation* op) {
  return graph::isDataMovement(op) || mlir::isa<PackOp, UnpackOp>(op);
}

}  // namespace vta::compiler
