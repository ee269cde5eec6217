// The CPU backend: functions over graph and linalg ops become native code behind
// module/host_abi.h. This header is free of MLIR types except for forward declarations.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/status.h"
#include "base/tensor.h"
#include "compiler/codegen/options.h"
#include "module/host_abi.h"

namespace mlir {
class ModuleOp;
}

namespace vta::host {

using HostTarget = codegen::CodeTarget;
using HostOptions = codegen::CodeOptions;

/// Object code with the constants that it needs. They stay outside the object, so that large
/// weights are neither compiled nor copied: the caller passes pointers to them between a function's
/// inputs and its results, in this order. They are already in the layout that the code wants
/// (packed, folded).
struct HostObject {
  std::vector<std::byte> elf;
  std::map<std::string, std::vector<Tensor>> constants;  // by function
};

/// Compiles every public function of `module` (tensors in, tensors out; graph, linalg, tensor and
/// arith ops) to one relocatable ELF object. Each becomes a VtaHostFunction of the same name.
/// `module` is consumed: its contents are undefined afterwards. Undefined symbols of the object are
/// at most those of libc and libm. Errors: an op without a lowering (its name and location), an
/// unknown target.
Result<HostObject> compileToObject(mlir::ModuleOp module, const HostOptions& options);

/// A compiled module in this process: for calibration, constant folding and tests.
class HostExecutable {
 public:
  static Result<std::unique_ptr<HostExecutable>> create(mlir::ModuleOp module,
                                                        const HostOptions& options);
  virtual ~HostExecutable() = default;

  /// Calls `function` with pointers to its inputs followed by its results; the constants are added
  /// here.
  virtual Status call(const std::string& function, std::span<void* const> arguments) = 0;
};

}  // namespace vta::host
