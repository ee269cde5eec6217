// The rewrites of graph-simplify, by what they are about.
#pragma once

#include "mlir/IR/PatternMatch.h"

namespace vta::compiler {

void addArithmeticPatterns(mlir::RewritePatternSet& patterns);
void addClampPatterns(mlir::RewritePatternSet& patterns);
void addProductPatterns(mlir::RewritePatternSet& patterns);
void addSlicePatterns(mlir::RewritePatternSet& patterns);

}  // namespace vta::compiler
