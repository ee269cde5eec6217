// vta-rewrite-first-layer: fills the GEMM core where the input has few channels.
//
// A convolution of a 3-channel image uses 3 of 16 lanes. Its elements can be rearranged on the
// host, together with their quantisation, so that more of one window lies in the channels:
//   space to depth  a kernel k with stride s on C channels is one of ceil(k / s), stride 1, on
//                   C * s * s channels;
//   window rows     each output column gets its kw taps as C * kw channels; the kernel is kh x 1;
//   whole windows   C * kh * kw channels and a 1x1 kernel, where they fit one block.
// Whichever needs the fewest GEMM steps is taken; as it is (channels padded) if none needs fewer.
#include "compiler/dialects/graph/graph.h"
#include "compiler/dialects/graph/work.h"
#include "compiler/dialects/vta/vta.h"
#include "compiler/vta/common/constants.h"
#include "compiler/vta/common/data_movement.h"
#include "compiler/vta/common/hw_pass.h"
#include "compiler/vta/partition/first_layer.h"
#include "compiler/vta/partition/group.h"
#include "compiler/vta/passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace vta::compiler {

#define GEN_PASS_DEF_REWRITEFIRSTLAYERPASS
#include "compiler/vta/passes.h.inc"

namespace {

class RewriteFirstLayerPass
    : public HwPass<impl::RewriteFirstLayerPassBase<RewriteFirstLayerPass>> {
 public:
  using HwPass::HwPass;

  void runOnOperation() override {
    llvm::SmallVector<graph::ConvOp> convolutions;
    getOperation().walk([&](graph::ConvOp op) { convolutions.push_back(op); });
    for (graph::ConvOp op : convolutions) {
      if (!graph::isIntegerContraction(op) || op.getGroup() != 1 || !readBytes(op.getWeight()))
        continue;
      const auto dilations = op.getDilations();
      if (dilations[0] != 1 || dilations[1] != 1 || !comesFromHost(op.getInput())) continue;
      rewriteFirstLayer(op, hw_.blockIn());
    }
  }
};

}  // namespace

std::unique_ptr<mlir::Pass> createRewriteFirstLayerPass(const HwConfig& hw) {
  return std::make_unique<RewriteFirstLayerPass>(hw);
}

}  // namespace vta::compiler
