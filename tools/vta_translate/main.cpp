// vta-translate: between the compiler's IR and other forms.
#include "compiler/frontend/onnx/translation.h"
#include "llvm/Support/CommandLine.h"
#include "mlir/Tools/mlir-translate/MlirTranslateMain.h"
#include "tools/common/commit.h"
#include "tools/vta_translate/program_translation.h"

int main(int argc, char** argv) {
  llvm::cl::SetVersionPrinter(
      [](llvm::raw_ostream& out) { out << vta::tools::toolVersion("vta-translate") << "\n"; });
  vta::compiler::registerOnnxTranslation();
  vta::compiler::registerProgramTranslations();
  return mlir::failed(mlir::mlirTranslateMain(argc, argv, "VTA translations"));
}
