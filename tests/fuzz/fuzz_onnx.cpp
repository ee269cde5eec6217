// ONNX models: any bytes give an error with a message, or a module.
#include <cstdlib>
#include <memory>
#include <string_view>

#include "compiler/frontend/onnx/import.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Verifier.h"
#include "tests/fuzz/fuzz_target.h"

namespace {

/// A context serves some inputs: making one takes longer than importing a small model, and what it
/// has made unique stays as long as it lives.
mlir::MLIRContext& currentContext() {
  constexpr int kInputsPerContext = 200;
  static std::unique_ptr<mlir::MLIRContext> context;
  static int inputs_left = 0;
  if (inputs_left == 0) {
    context.reset();
    context = std::make_unique<mlir::MLIRContext>(mlir::MLIRContext::Threading::DISABLED);
    inputs_left = kInputsPerContext;
  }
  --inputs_left;
  return *context;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  mlir::MLIRContext& context = currentContext();
  const mlir::ScopedDiagnosticHandler quiet(&context, [](mlir::Diagnostic&) {});
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  // Anonymous and named dimensions of the seeds; others are refused.
  auto module = vta::compiler::importOnnxBytes(bytes, "fuzz.onnx", {}, context);
  if (module.ok() ? mlir::failed(mlir::verify(**module)) : module.status().message().empty()) {
    std::abort();
  }
  return 0;
}
