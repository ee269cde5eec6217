// vta-fold-depthwise: depthwise kernels take a row of taps in one GEMM.
#include <vector>

#include "compiler/dialects/vta/shape.h"
#include "compiler/dialects/vta/vta.h"
#include "compiler/kernel/desc/depthwise_fold.h"
#include "compiler/kernel/schedule/schedule_space.h"
#include "compiler/vta/common/constants.h"
#include "compiler/vta/common/hw_pass.h"
#include "compiler/vta/common/kernels.h"
#include "compiler/vta/common/replace_weights.h"
#include "compiler/vta/passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/SymbolTable.h"

namespace vta::compiler {

#define GEN_PASS_DEF_FOLDDEPTHWISEPASS
#include "compiler/vta/passes.h.inc"

namespace {

using kernel::Geometry;
using kernel::KernelDesc;
using mlir::Value;
namespace arith = mlir::arith;

/// A weight as it was, of those of the folded kernel: zero for channels of other pairs.
Value unfoldedWeight(mlir::OpBuilder& b, mlir::Location loc, Value folded, int64_t block_in,
                     const Geometry& geometry) {
  const auto index = [&](uint64_t dim) -> Value {
    return b.create<mlir::linalg::IndexOp>(loc, dim);
  };
  const auto constant = [&](int64_t value) -> Value {
    return b.create<arith::ConstantIndexOp>(loc, value);
  };
  Value kx = index(3), oc = index(4), ic = index(5), two = constant(2);
  Value pitch = constant(geometry.fold_pitch);
  Value last = constant(geometry.tapGroups() - 1);
  Value column = b.create<arith::MinUIOp>(loc, b.create<arith::DivUIOp>(loc, kx, pitch), last);
  Value tap = b.create<arith::SubIOp>(loc, kx, b.create<arith::MulIOp>(loc, column, pitch));
  Value half =
      b.create<arith::MulIOp>(loc, b.create<arith::RemUIOp>(loc, ic, two), constant(block_in / 2));
  Value multiplier = b.create<arith::AddIOp>(loc, half, tap);
  Value weight = b.create<mlir::tensor::ExtractOp>(
      loc, folded, mlir::ValueRange{index(0), index(1), index(2), column, oc, multiplier});
  Value own_channel = b.create<arith::RemUIOp>(loc, oc, constant(block_in));
  Value own = b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::eq,
                                      b.create<arith::DivUIOp>(loc, own_channel, two),
                                      b.create<arith::DivUIOp>(loc, ic, two));
  Value zero = b.create<arith::ConstantOp>(loc, b.getI8IntegerAttr(0));
  return b.create<arith::SelectOp>(loc, own, weight, zero);
}

class FoldDepthwisePass : public HwPass<impl::FoldDepthwisePassBase<FoldDepthwisePass>> {
 public:
  using HwPass::HwPass;

  void runOnOperation() override {
    mlir::SymbolTable symbols(getOperation());
    WeightReplacer replacer("_depthwise", symbols);
    for (KernelOp op : kernelsOf(getOperation())) {
      if (!op.getWeight() || !kernel::foldGeometry(op.getDesc().getValue(), hw_)) continue;
      const auto weight = readBytes(op.getWeight());
      if (!weight) continue;
      const auto folded = kernel::foldDepthwise(op.getDesc().getValue(), *weight, hw_);
      if (folded && kernel::checkRunnable(*folded, hw_).ok()) fold(op, *folded, *weight, replacer);
    }
  }

 private:
  void fold(KernelOp op, const KernelDesc& folded, const std::vector<int8_t>& weight,
            WeightReplacer& replacer) {
    llvm::SmallVector<int64_t> shape(shapeOf(op.getWeight()));
    shape[3] = folded.geometry.tapGroups();
    replacer.replace(op, shape, kernel::foldWeights(folded, weight, hw_),
                     [&](mlir::OpBuilder& b, mlir::Location loc, Value weights, int64_t block_in) {
                       return unfoldedWeight(b, loc, weights, block_in, folded.geometry);
                     });
    op.setDescAttr(KernelAttr::get(op.getContext(), folded));
  }
};

}  // namespace

std::unique_ptr<mlir::Pass> createFoldDepthwisePass(const HwConfig& hw) {
  return std::make_unique<FoldDepthwisePass>(hw);
}

}  // namespace vta::compiler
