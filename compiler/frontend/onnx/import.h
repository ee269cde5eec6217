// ONNX models into the graph dialect.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>

#include "base/status.h"
#include "compiler/frontend/model_signature.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"

namespace vta::compiler {

/// Values for symbolic dimensions, by name. A dimension that has neither a value nor a name is
/// called `<input>.<index>`.
using DimensionMap = std::map<std::string, int64_t>;

/// Reads a float, QDQ or QOperator model of opset 7 to 21 and returns a module with one function,
/// `main`, over graph ops and arith.constant, all shapes static. Arguments and results carry their
/// ONNX names in the attribute `graph.name`; ops carry their node's name as NameLoc. Shape
/// arithmetic is folded and nodes that no output needs are left out.
///
/// Errors: an unreadable or corrupt file, cycles, missing initialisers, wrong shapes, unbound
/// symbolic dimensions, unsupported operators (all of them at once). The message starts with the
/// file's name and names the node.
Result<mlir::OwningOpRef<mlir::ModuleOp>> importOnnx(const std::filesystem::path& path,
                                                     const DimensionMap& dimensions,
                                                     mlir::MLIRContext& context);

/// The same for a model in memory: `bytes` is its protobuf, at most 2 GiB. `path` is what messages
/// call it; external data lies beside it.
Result<mlir::OwningOpRef<mlir::ModuleOp>> importOnnxBytes(std::string_view bytes,
                                                          const std::filesystem::path& path,
                                                          const DimensionMap& dimensions,
                                                          mlir::MLIRContext& context);

/// Inputs and outputs of an imported function, with the shapes that the import computed.
Result<ModelSignature> signatureOf(mlir::func::FuncOp function);

}  // namespace vta::compiler
