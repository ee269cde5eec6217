// vta-opt: runs the compiler's passes on .mlir files.
#include "compiler/registration.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "tools/mlir_tool/llvm_options.h"

int main(int argc, char** argv) {
  vta::tools::addLlvmDocuments("vta-opt", "Runs passes of the compiler on IR in text form.");
  mlir::DialectRegistry registry;
  vta::compiler::registerAllDialects(registry);
  vta::compiler::registerAllBackends();
  vta::compiler::registerAllPasses();
  return mlir::failed(mlir::MlirOptMain(argc, argv, "VTA compiler passes\n", registry));
}
