// Compiled functions in this process: for calibration, constant folding and tests. Free of MLIR
// types except for a forward declaration.
#pragma once

#include <map>
#include <memory>
#include <span>
#include <string>

#include "compiler/codegen/backend.h"

namespace vta::codegen {

/// What a host function takes and gives, constants aside.
struct HostSignature {
  size_t inputs = 0, results = 0;
};

class Executable {
 public:
  /// Compiles `module` with `backend` and loads the code. `module` is consumed. Errors: those of
  /// Backend::compile, a target that is not this machine, no memory for the constants.
  static Result<std::unique_ptr<Executable>> create(mlir::ModuleOp module, const Backend& backend,
                                                    const CodeOptions& options);
  /// Loads code for this machine, whose constants it frees one by one as it copies them. 0 threads:
  /// as many as the machine has. Errors: the code cannot be loaded, has none of these functions; no
  /// memory for the constants.
  static Result<std::unique_ptr<Executable>> load(
      CompiledCode code, const std::map<std::string, HostSignature>& signatures,
      unsigned num_threads);
  virtual ~Executable() = default;

  /// Calls `function` with pointers to its inputs followed by its results; the constants are added
  /// here. Errors: no such function, another number of pointers, what the function reports.
  virtual Status call(const std::string& function, std::span<void* const> arguments) = 0;
};

}  // namespace vta::codegen
