// The kernels of a module.
#pragma once

#include <vector>

#include "compiler/dialects/vta/vta.h"
#include "mlir/IR/BuiltinOps.h"

namespace vta::compiler {

/// The kernels of a module, in program order. As a list, since rewriting them erases references.
inline std::vector<KernelOp> kernelsOf(mlir::ModuleOp module) {
  std::vector<KernelOp> kernels;
  module.walk([&](KernelOp op) { kernels.push_back(op); });
  return kernels;
}

}  // namespace vta::compiler
