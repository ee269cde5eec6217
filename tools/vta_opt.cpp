// vta-opt: runs the compiler's passes on .mlir files.
#include "compiler/registration.h"
#include "llvm/Support/CommandLine.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "tools/common/commit.h"

int main(int argc, char** argv) {
  llvm::cl::SetVersionPrinter(
      [](llvm::raw_ostream& out) { out << vta::tools::toolVersion("vta-opt") << "\n"; });
  mlir::DialectRegistry registry;
  vta::compiler::registerAllDialects(registry);
  vta::compiler::registerAllBackends();
  vta::compiler::registerAllPasses();
  return mlir::failed(mlir::MlirOptMain(argc, argv, "VTA compiler passes\n", registry));
}
