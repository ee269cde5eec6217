// readSignature: the ports of a model, with the shapes that the import computes.
#include <fmt/format.h>

#include "compiler/compile.h"
#include "compiler/dialects/graph/graph_builder.h"
#include "compiler/frontend/onnx/import.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace vta::compiler {
namespace {

Result<DType> dtypeOf(mlir::Type type) {
  bool is_unsigned = type.isUnsignedInteger();
  if (type.isF32()) return DType::kF32;
  if (type.isF64()) return DType::kF64;
  switch (type.isIntOrFloat() ? type.getIntOrFloatBitWidth() : 0) {
    case 1:
      return DType::kBool;
    case 8:
      return is_unsigned ? DType::kU8 : DType::kI8;
    case 16:
      return is_unsigned ? DType::kU16 : DType::kI16;
    case 32:
      return is_unsigned ? DType::kU32 : DType::kI32;
    case 64:
      return is_unsigned ? DType::kU64 : DType::kI64;
    default:
      return internalError("a port of an element type without a DType");
  }
}

Result<Port> makePort(mlir::Attribute name, mlir::Type type) {
  auto tensor = mlir::cast<mlir::RankedTensorType>(type);
  VTA_ASSIGN_OR_RETURN(DType dtype, dtypeOf(tensor.getElementType()));
  return Port{mlir::cast<mlir::StringAttr>(name).str(),
              dtype,
              {tensor.getShape().begin(), tensor.getShape().end()}};
}

}  // namespace

Result<ModelSignature> readSignature(const std::filesystem::path& model,
                                     const DimensionMap& dimensions) {
  // Output shapes may be symbolic or absent in the file, so the whole graph is imported.
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  VTA_ASSIGN_OR_RETURN(mlir::OwningOpRef<mlir::ModuleOp> module,
                       importOnnx(model, dimensions, context));
  auto function = module->lookupSymbol<mlir::func::FuncOp>("main");
  ModelSignature signature;
  for (unsigned i = 0; i < function.getNumArguments(); ++i) {
    VTA_ASSIGN_OR_RETURN(Port port, makePort(function.getArgAttr(i, "graph.name"),
                                             function.getArgument(i).getType()));
    signature.inputs.push_back(std::move(port));
  }
  for (unsigned i = 0; i < function.getNumResults(); ++i) {
    VTA_ASSIGN_OR_RETURN(
        Port port, makePort(function.getResultAttr(i, "graph.name"), function.getResultTypes()[i]));
    signature.outputs.push_back(std::move(port));
  }
  return signature;
}

}  // namespace vta::compiler
