// Optimisation of float graphs: what happens between import and quantisation. passes.td describes
// each pass; docs/reference/passes.md is made from it.
#pragma once

#include <memory>

namespace mlir {
class OpPassManager;
class Pass;
}  // namespace mlir

namespace vta::compiler {

#define GEN_PASS_DECL
#include "compiler/graph_passes/passes.h.inc"

/// All of these passes in the order that works, with canonicalisation between. Named
/// `graph-optimize` in vta-opt.
void buildGraphOptimizationPipeline(mlir::OpPassManager& manager);

}  // namespace vta::compiler
