#include "compiler/graph_passes/pass_utils.h"
#include "compiler/graph_passes/passes.h"
#include "compiler/graph_passes/simplify/patterns.h"

namespace vta::compiler {

#define GEN_PASS_DEF_GRAPHSIMPLIFYPASS
#include "compiler/graph_passes/passes.h.inc"

namespace {

class GraphSimplifyPass : public GraphPatternPass<impl::GraphSimplifyPassBase<GraphSimplifyPass>> {
  void addPatterns(mlir::RewritePatternSet& patterns) const override {
    addArithmeticPatterns(patterns);
    addClampPatterns(patterns);
    addProductPatterns(patterns);
    addSlicePatterns(patterns);
  }
};

}  // namespace

}  // namespace vta::compiler
