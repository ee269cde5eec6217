// vta-translate: between the compiler's IR and other forms.
#include "compiler/frontend/onnx/translation.h"
#include "mlir/Tools/mlir-translate/MlirTranslateMain.h"
#include "tools/mlir_tool/llvm_options.h"
#include "tools/vta_translate/program_translation.h"

int main(int argc, char** argv) {
  vta::tools::addLlvmDocuments("vta-translate",
                               "Translates between ONNX, the compiler's IR and programs.");
  vta::compiler::registerOnnxTranslation();
  vta::compiler::registerProgramTranslations();
  return mlir::failed(mlir::mlirTranslateMain(argc, argv, "VTA translations"));
}
