// vta-fold-depthwise: depthwise kernels take a row of taps in one GEMM.
#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "compiler/dialects/vta/vta.h"
#include "compiler/kernel/desc/depthwise_fold.h"
#include "compiler/kernel/schedule/schedule_space.h"
#include "compiler/vta/common/constants.h"
#include "compiler/vta/common/hw_pass.h"
#include "compiler/vta/common/reference.h"
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
using mlir::RankedTensorType;
using mlir::Value;
namespace arith = mlir::arith;

/// Builds, in a reference, the weights as they were from those of the folded kernel.
class WeightBuilder {
 public:
  WeightBuilder(mlir::OpBuilder builder, Value folded, const Geometry& geometry)
      : b_(builder), loc_(folded.getLoc()), folded_(folded), g_(geometry) {}

  /// Of type `original`, [OC/bo][1][KH][KW][bo][bi].
  Value build(RankedTensorType original) {
    Value out = b_.create<mlir::tensor::EmptyOp>(loc_, original.getShape(), b_.getI8Type());
    const auto identity = b_.getMultiDimIdentityMap(6);
    const llvm::SmallVector<mlir::utils::IteratorType> parallel(
        6, mlir::utils::IteratorType::parallel);
    auto generic = b_.create<mlir::linalg::GenericOp>(
        loc_, original, mlir::ValueRange{}, out, llvm::ArrayRef{identity}, parallel,
        [&](mlir::OpBuilder& b, mlir::Location loc, mlir::ValueRange) {
          b.create<mlir::linalg::YieldOp>(loc, element(b, original.getShape().back()));
        });
    return generic.getResult(0);
  }

 private:
  /// The weight at the loops' indexes: zero for channels of other pairs.
  Value element(mlir::OpBuilder& b, int64_t block_in) {
    const auto index = [&](uint64_t dim) -> Value {
      return b.create<mlir::linalg::IndexOp>(loc_, dim);
    };
    const auto constant = [&](int64_t value) -> Value {
      return b.create<arith::ConstantIndexOp>(loc_, value);
    };
    Value kx = index(3), oc = index(4), ic = index(5), two = constant(2);
    Value pitch = constant(g_.fold_pitch);
    Value last = constant(g_.tapGroups() - 1);
    Value column = b.create<arith::MinUIOp>(loc_, b.create<arith::DivUIOp>(loc_, kx, pitch), last);
    Value tap = b.create<arith::SubIOp>(loc_, kx, b.create<arith::MulIOp>(loc_, column, pitch));
    Value half = b.create<arith::MulIOp>(loc_, b.create<arith::RemUIOp>(loc_, ic, two),
                                         constant(block_in / 2));
    Value multiplier = b.create<arith::AddIOp>(loc_, half, tap);
    Value weight = b.create<mlir::tensor::ExtractOp>(
        loc_, folded_, mlir::ValueRange{index(0), index(1), index(2), column, oc, multiplier});
    Value own_channel = b.create<arith::RemUIOp>(loc_, oc, constant(block_in));
    Value own = b.create<arith::CmpIOp>(loc_, arith::CmpIPredicate::eq,
                                        b.create<arith::DivUIOp>(loc_, own_channel, two),
                                        b.create<arith::DivUIOp>(loc_, ic, two));
    Value zero = b.create<arith::ConstantOp>(loc_, b.getI8IntegerAttr(0));
    return b.create<arith::SelectOp>(loc_, own, weight, zero);
  }

  mlir::OpBuilder b_;
  mlir::Location loc_;
  Value folded_;
  const Geometry& g_;
};

class FoldDepthwisePass : public HwPass<impl::FoldDepthwisePassBase<FoldDepthwisePass>> {
 public:
  using HwPass::HwPass;

  void runOnOperation() override {
    references_.clear();
    mlir::SymbolTable symbols(getOperation());
    llvm::SmallVector<KernelOp> kernels;  // first: references disappear on the way
    getOperation().walk([&](KernelOp op) { kernels.push_back(op); });
    for (KernelOp op : kernels) {
      if (!op.getWeight() || !kernel::foldGeometry(op.getDesc().getValue(), hw_)) continue;
      const auto weight = readBytes(op.getWeight());
      if (!weight) continue;
      const auto folded = kernel::foldDepthwise(op.getDesc().getValue(), *weight, hw_);
      if (folded && kernel::checkRunnable(*folded, hw_).ok()) fold(op, *folded, *weight, symbols);
    }
  }

 private:
  void fold(KernelOp op, const KernelDesc& folded, const std::vector<int8_t>& weight,
            mlir::SymbolTable& symbols) {
    mlir::OpBuilder builder(op);
    const auto original = mlir::cast<RankedTensorType>(op.getWeight().getType());
    llvm::SmallVector<int64_t> shape(original.getShape());
    shape[3] = folded.geometry.tapGroups();
    const auto type = RankedTensorType::get(shape, builder.getI8Type());
    const std::vector<int8_t> values = kernel::foldWeights(folded, weight, hw_);
    Value constant = builder.create<arith::ConstantOp>(
        op.getLoc(), mlir::DenseIntElementsAttr::get(type, llvm::ArrayRef(values)));
    const auto old_reference = symbols.lookup<mlir::func::FuncOp>(op.getReference());
    replaceReference(op, old_reference, referenceOf(old_reference, folded, type, symbols), symbols);
    op.getWeightMutable().assign(constant);
    op.setDescAttr(KernelAttr::get(op.getContext(), folded));
  }

  /// A copy of the kernel's reference that takes the folded weights. Kernels that shared one share
  /// it: their weights have the same shape.
  mlir::func::FuncOp referenceOf(mlir::func::FuncOp old, const KernelDesc& folded,
                                 RankedTensorType type, mlir::SymbolTable& symbols) {
    mlir::func::FuncOp& copy = references_[old.getSymName().str()];
    if (copy) return copy;
    constexpr unsigned kWeight = 1;
    copy = copyWithArgument(
        old, "_depthwise", kWeight, type,
        [&](mlir::OpBuilder b, mlir::BlockArgument argument, RankedTensorType original) {
          return WeightBuilder(b, argument, folded.geometry).build(original);
        },
        symbols);
    return copy;
  }

  std::map<std::string, mlir::func::FuncOp> references_;
};

}  // namespace

std::unique_ptr<mlir::Pass> createFoldDepthwisePass(const HwConfig& hw) {
  return std::make_unique<FoldDepthwisePass>(hw);
}

}  // namespace vta::compiler
