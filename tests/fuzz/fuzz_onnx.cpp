// ONNX models: any bytes give an error with a message, or a module.
#include <cstdlib>
#include <string_view>

#include "compiler/frontend/onnx/import.h"
#include "mlir/IR/Verifier.h"
#include "tests/fuzz/fuzz_target.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  // Anonymous and named dimensions of the seeds; others are refused.
  auto module = vta::compiler::importOnnxBytes(bytes, "fuzz.onnx", {}, context);
  if (module.ok() ? mlir::failed(mlir::verify(**module)) : module.status().message().empty()) {
    std::abort();
  }
  return 0;
}
