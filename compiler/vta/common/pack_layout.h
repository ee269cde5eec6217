// What the patterns that move vta.pack share.
#pragma once

#include "compiler/dialects/vta/vta.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/PatternMatch.h"

namespace vta::compiler {

/// Batch and block of a packed layout.
struct PackLayout {
  int64_t batch = 1, block = 1;
  static PackLayout of(mlir::Value packed) {
    auto type = mlir::cast<mlir::RankedTensorType>(packed.getType());
    return {type.getDimSize(4), type.getDimSize(5)};
  }
  bool operator==(const PackLayout&) const = default;
  /// What dimension `d` of a plain image is counted in: whole batches and blocks, or pixels.
  int64_t unit(size_t d) const { return d == 0 ? batch : d == 1 ? block : 1; }
};

/// True when packing `value` moves nothing: it comes from a kernel with the same blocks, perhaps
/// through operations that work on packed tensors as well. Of a concatenation or a function of two
/// tensors, one operand is enough: the others are packed instead of the whole.
bool packsForFree(mlir::Value value, PackLayout layout);

/// The tensors, constants left out, that the element-wise `op` reads and can as well read packed;
/// none if `op`, which may be null, is no such op. Its result has their batches and channels.
llvm::SmallVector<mlir::Value> elementOperands(mlir::Operation* op);

/// pack(f(x, ...)) = f(pack(x), ...) for element-wise f.
void populatePackElementwisePatterns(mlir::RewritePatternSet& patterns);

}  // namespace vta::compiler
