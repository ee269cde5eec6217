#include "compiler/frontend/onnx/translation.h"

#include "compiler/dialects/graph/graph.h"
#include "compiler/frontend/onnx/import.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/SourceMgr.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Tools/mlir-translate/Translation.h"

namespace vta::compiler {
namespace {

mlir::OwningOpRef<mlir::ModuleOp> translate(llvm::SourceMgr& sources, mlir::MLIRContext* context,
                                            const llvm::cl::list<std::string>& shapes) {
  mlir::Location unknown = mlir::UnknownLoc::get(context);
  ImportOptions options;
  for (llvm::StringRef binding : shapes) {
    auto [name, value] = binding.rsplit('=');
    if (value.getAsInteger(10, options.dimensions[name.str()])) {
      mlir::emitError(unknown) << "--shape expects NAME=VALUE, got '" << binding << "'";
      return {};
    }
  }
  const llvm::MemoryBuffer* buffer = sources.getMemoryBuffer(sources.getMainFileID());
  auto module = importOnnx(buffer->getBufferIdentifier().str(), options, *context);
  if (module.ok()) return *std::move(module);
  mlir::emitError(unknown) << module.status().message();
  return {};
}

}  // namespace

void registerOnnxTranslation() {
  static llvm::cl::list<std::string> shapes(
      "shape", llvm::cl::desc("Value of a symbolic dimension"), llvm::cl::value_desc("NAME=VALUE"));
  static mlir::TranslateToMLIRRegistration registration(
      "import-onnx", "ONNX model to the graph dialect",
      [](llvm::SourceMgr& sources, mlir::MLIRContext* context) {
        return translate(sources, context, shapes);
      },
      [](mlir::DialectRegistry& registry) {
        registry.insert<graph::GraphDialect, mlir::arith::ArithDialect, mlir::func::FuncDialect>();
      });
}

}  // namespace vta::compiler
