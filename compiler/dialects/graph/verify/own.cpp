// The verifier of operators that a library defines.
#include "compiler/dialects/graph/graph.h"

namespace vta::graph {

mlir::LogicalResult OwnOp::verify() {
  if (llvm::count(getPresent(), true) != static_cast<int64_t>(getInputs().size())) {
    return emitOpError("`present` has another number of inputs than there are");
  }
  for (const mlir::NamedAttribute& attribute : getNodeAttributes()) {
    if (mlir::isa<mlir::DenseI64ArrayAttr, mlir::DenseF32ArrayAttr, mlir::StringAttr>(
            attribute.getValue())) {
      continue;
    }
    return emitOpError("attribute '")
           << attribute.getName().getValue() << "' is neither integers nor floats nor a text";
  }
  return mlir::success();
}

}  // namespace vta::graph
