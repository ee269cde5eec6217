// Kernels get their weights in another layout, and references that take them that way.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "compiler/dialects/vta/vta.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/SymbolTable.h"

namespace vta::compiler {

/// Builds one weight as it was, at the indexes of the six loops around it over
/// [OC/bo][IC/bi][KH][KW][bo][bi], out of `weights`, which have become others. `block_in` is bi.
using RebuildWeight = llvm::function_ref<mlir::Value(mlir::OpBuilder&, mlir::Location,
                                                     mlir::Value weights, int64_t block_in)>;

/// For the kernels of one module.
class WeightReplacer {
 public:
  /// References get `suffix` behind their names. `symbols` has to outlive the replacer.
  WeightReplacer(std::string suffix, mlir::SymbolTable& symbols)
      : suffix_(std::move(suffix)), symbols_(symbols) {}

  /// `op` gets `values` of `shape` as its weights, and a copy of its reference that takes them.
  /// Kernels that shared a reference share the copy: their weights have one shape.
  void replace(KernelOp op, llvm::ArrayRef<int64_t> shape, const std::vector<int8_t>& values,
               RebuildWeight rebuild);
  /// The same with `weights`, a tensor of int8.
  void replace(KernelOp op, mlir::Value weights, RebuildWeight rebuild);

 private:
  std::string suffix_;
  mlir::SymbolTable& symbols_;
  std::map<std::string, mlir::func::FuncOp> references_;  // by the name of what they are copies of
};

}  // namespace vta::compiler
