// A back end for tests: it runs nothing but sums of floats, and takes less for them than the CPU.
#pragma once

#include <atomic>

#include "compiler/codegen/backend.h"

namespace vta::codegen::testing {

/// Made of what back ends share, with one loop after the other.
class AdderBackend : public Backend {
 public:
  AdderBackend() { registerBackend(*this); }
  ~AdderBackend() override { unregisterBackend(*this); }

  std::string_view name() const override { return "adder"; }
  Status canRun(mlir::Operation* op) const override;
  /// One multiply-accumulate for each element.
  int64_t cost(mlir::Operation* op) const override;
  Result<CompiledCode> compile(mlir::ModuleOp module, const CodeOptions& options) const override;

  int functionsCompiled() const { return functions_compiled_; }

 private:
  mutable std::atomic<int> functions_compiled_ = 0;
};

}  // namespace vta::codegen::testing
