// signatureOf: the ports of an imported model.
#include "compiler/dialects/graph/counted_results.h"
#include "compiler/dialects/graph/element_type.h"
#include "compiler/dialects/graph/text/kept_text.h"
#include "compiler/frontend/onnx/import.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace vta::compiler {
namespace {

Result<Port> makePort(mlir::Attribute name, mlir::Type type) {
  auto tensor = mlir::cast<mlir::RankedTensorType>(type);
  const auto dtype = graph::dtypeOf(tensor.getElementType());
  if (!dtype) return internalError("a port of an element type without a DType");
  return Port{mlir::cast<mlir::StringAttr>(name).str(),
              *dtype,
              {tensor.getShape().begin(), tensor.getShape().end()},
              0};
}

}  // namespace

Result<ModelSignature> signatureOf(mlir::func::FuncOp function) {
  ModelSignature signature;
  const graph::KeptText text = graph::keptTextOf(function).value_or(graph::KeptText());
  signature.context_length = text.words();
  signature.run_words = text.run_words;
  for (unsigned i = 0; i < function.getNumArguments(); ++i) {
    VTA_ASSIGN_OR_RETURN(Port port, makePort(function.getArgAttr(i, "graph.name"),
                                             function.getArgument(i).getType()));
    const auto extent = function.getArgAttrOfType<mlir::IntegerAttr>(i, "graph.index_extent");
    port.index_extent = extent ? extent.getInt() : 0;
    if (text.isKeptInput(port.name)) continue;
    signature.inputs.push_back(std::move(port));
  }
  for (unsigned i = 0; i < function.getNumResults() - graph::countResults(function); ++i) {
    VTA_ASSIGN_OR_RETURN(
        Port port, makePort(function.getResultAttr(i, "graph.name"), function.getResultTypes()[i]));
    if (text.cacheOfOutput(port.name) != nullptr) continue;
    signature.outputs.push_back(std::move(port));
  }
  return signature;
}

}  // namespace vta::compiler
