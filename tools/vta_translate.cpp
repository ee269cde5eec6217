// vta-translate: between the compiler's IR and other forms.
#include "compiler/frontend/onnx/translation.h"
#include "compiler/transforms/vta_program_translation.h"
#include "mlir/Tools/mlir-translate/MlirTranslateMain.h"

int main(int argc, char** argv) {
  vta::compiler::registerOnnxTranslation();
  vta::compiler::registerProgramTranslations();
  return mlir::failed(mlir::mlirTranslateMain(argc, argv, "VTA translations"));
}
