// vta-fuse-requantisation: ADD of the bias, QMUL and CLIP become one REQUANT.
#include <map>
#include <string>
#include <tuple>
#include <utility>

#include "compiler/dialects/vta/vta.h"
#include "compiler/kernel/desc/requant_fusion.h"
#include "compiler/kernel/schedule/schedule_space.h"
#include "compiler/vta/common/constants.h"
#include "compiler/vta/common/hw_pass.h"
#include "compiler/vta/common/kernels.h"
#include "compiler/vta/common/reference_functions.h"
#include "compiler/vta/passes.h"
#include "isa/spec/accumulator.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/SymbolTable.h"

namespace vta::compiler {

#define GEN_PASS_DEF_FUSEREQUANTISATIONPASS
#include "compiler/vta/passes.h.inc"

namespace {

using kernel::RequantFusion;
using mlir::RankedTensorType;
using mlir::Value;

/// Builds, in a reference, the parameters as they were from those of the fused kernel, which are
/// [2 + kept][OC/bo][b][bo] with the pair interleaved.
class ParamBuilder {
 public:
  ParamBuilder(mlir::OpBuilder builder, Value fused, const RequantFusion& fusion, int shift_lsb)
      : b_(builder),
        loc_(fused.getLoc()),
        fused_(fused),
        fusion_(fusion),
        shift_lsb_(shift_lsb),
        shape_(mlir::cast<RankedTensorType>(fused.getType()).getShape()),
        vector_(RankedTensorType::get(shape_.drop_front(), b_.getI32Type())) {}

  /// Of type `original`.
  Value build(RankedTensorType original) {
    Value all = b_.create<mlir::tensor::EmptyOp>(loc_, original.getShape(), b_.getI32Type());
    all = insert(all, fusion_.multiplier, multiplier());
    if (fusion_.bias) all = insert(all, *fusion_.bias, halfOfPair(1));
    for (size_t i = 0; i < fusion_.kept.size(); ++i) {
      // A vector may be used by other steps, too.
      all = insert(all, fusion_.kept[i], slice(fused_, 0, static_cast<int64_t>(i) + 2));
    }
    return all;
  }

 private:
  /// The vectors of four-dimensional `from` at `index` of dimension `dim`.
  Value slice(Value from, unsigned dim, int64_t index) {
    const auto type = mlir::cast<RankedTensorType>(from.getType());
    llvm::SmallVector<mlir::OpFoldResult> offsets(4, b_.getIndexAttr(0));
    llvm::SmallVector<mlir::OpFoldResult> strides(4, b_.getIndexAttr(1));
    llvm::SmallVector<mlir::OpFoldResult> sizes;
    for (const int64_t size : type.getShape()) sizes.push_back(b_.getIndexAttr(size));
    offsets[dim] = b_.getIndexAttr(index);
    sizes[dim] = b_.getIndexAttr(1);
    return b_.create<mlir::tensor::ExtractSliceOp>(loc_, vector_, from, offsets, sizes, strides);
  }

  Value insert(Value all, int64_t index, Value vector) {
    llvm::SmallVector<mlir::OpFoldResult> offsets(4, b_.getIndexAttr(0));
    llvm::SmallVector<mlir::OpFoldResult> strides(4, b_.getIndexAttr(1));
    llvm::SmallVector<mlir::OpFoldResult> sizes{b_.getIndexAttr(1)};
    for (const int64_t size : vector_.getShape()) sizes.push_back(b_.getIndexAttr(size));
    offsets[0] = b_.getIndexAttr(index);
    return b_.create<mlir::tensor::InsertSliceOp>(loc_, vector, all, offsets, sizes, strides);
  }

  /// Every other element of the pair.
  Value halfOfPair(int64_t half) {
    const llvm::SmallVector<mlir::ReassociationIndices> joined{{0, 1}, {2}, {3}};
    const int64_t blocks = shape_[1];
    Value flat = b_.create<mlir::tensor::CollapseShapeOp>(loc_, fused_, joined);
    llvm::SmallVector<mlir::OpFoldResult> offsets(3, b_.getIndexAttr(0));
    llvm::SmallVector<mlir::OpFoldResult> strides(3, b_.getIndexAttr(1));
    llvm::SmallVector<mlir::OpFoldResult> sizes{
        b_.getIndexAttr(2 * blocks), b_.getIndexAttr(shape_[2]), b_.getIndexAttr(shape_[3])};
    Value pairs = b_.create<mlir::tensor::ExtractSliceOp>(loc_, flat, offsets, sizes, strides);
    const auto split = RankedTensorType::get({blocks, 2, shape_[2], shape_[3]}, b_.getI32Type());
    Value expanded = b_.create<mlir::tensor::ExpandShapeOp>(loc_, split, pairs, joined);
    return slice(expanded, 1, half);
  }

  /// The multiplier, without the shift above it.
  Value multiplier() {
    Value words = halfOfPair(0);
    Value out = b_.create<mlir::tensor::EmptyOp>(loc_, vector_.getShape(), b_.getI32Type());
    const auto identity = b_.getMultiDimIdentityMap(3);
    const llvm::SmallVector<mlir::utils::IteratorType> parallel(
        3, mlir::utils::IteratorType::parallel);
    auto generic = b_.create<mlir::linalg::GenericOp>(
        loc_, vector_, words, out, llvm::ArrayRef{identity, identity}, parallel,
        [this](mlir::OpBuilder& b, mlir::Location loc, mlir::ValueRange arguments) {
          Value bits = b.create<mlir::arith::ConstantOp>(
              loc, b.getI32IntegerAttr(kAccDramBits - shift_lsb_));
          Value high = b.create<mlir::arith::ShLIOp>(loc, arguments[0], bits);
          Value word = b.create<mlir::arith::ShRSIOp>(loc, high, bits);
          b.create<mlir::linalg::YieldOp>(loc, word);
        });
    return generic.getResult(0);
  }

  mlir::OpBuilder b_;
  mlir::Location loc_;
  Value fused_;
  const RequantFusion& fusion_;
  int shift_lsb_;  // of the shift above a multiplier
  llvm::ArrayRef<int64_t> shape_;
  RankedTensorType vector_;  // [OC/bo][b][bo]
};

class FuseRequantisationPass
    : public HwPass<impl::FuseRequantisationPassBase<FuseRequantisationPass>> {
 public:
  using HwPass::HwPass;

  void runOnOperation() override {
    references_.clear();
    mlir::SymbolTable symbols(getOperation());
    for (KernelOp op : kernelsOf(getOperation())) {
      const auto fusion = kernel::findRequant(op.getDesc().getValue(), hw_);
      if (!fusion || !kernel::checkRunnable(fusion->desc, hw_).ok()) continue;
      if (const auto param = readIntegers(op.getParam())) fuse(op, *fusion, *param, symbols);
    }
  }

 private:
  void fuse(KernelOp op, const RequantFusion& fusion, const std::vector<int32_t>& param,
            mlir::SymbolTable& symbols) {
    mlir::OpBuilder builder(op);
    const auto old_type = mlir::cast<RankedTensorType>(op.getParam().getType());
    llvm::SmallVector<int64_t> shape(old_type.getShape());
    shape[0] = fusion.desc.num_params;
    const auto type = RankedTensorType::get(shape, builder.getI32Type());
    const std::vector<int32_t> values = kernel::fuseParams(fusion, param, hw_);
    Value constant = builder.create<mlir::arith::ConstantOp>(
        op.getLoc(), mlir::DenseIntElementsAttr::get(type, llvm::ArrayRef(values)));
    const auto old_reference = symbols.lookup<mlir::func::FuncOp>(op.getReference());
    replaceReference(op, old_reference, referenceOf(old_reference, op, fusion, type, symbols),
                     symbols);
    op.getParamMutable().assign(constant);
    op.setDescAttr(KernelAttr::get(op.getContext(), fusion.desc));
  }

  /// A copy of the kernel's reference that takes the fused kernel's parameters. Kernels that shared
  /// one, and are fused alike, share it.
  mlir::func::FuncOp referenceOf(mlir::func::FuncOp old, KernelOp op, const RequantFusion& fusion,
                                 RankedTensorType type, mlir::SymbolTable& symbols) {
    const Key key{old.getSymName().str(), fusion.multiplier, fusion.bias.value_or(-1), fusion.kept};
    mlir::func::FuncOp& copy = references_[key];
    if (copy) return copy;
    copy = copyWithArgument(
        old, "_requant", op.getWeight() ? 2 : 1, type,
        [&](mlir::OpBuilder b, mlir::BlockArgument argument, RankedTensorType original) {
          return ParamBuilder(b, argument, fusion, requantShiftLsb(hw_.params())).build(original);
        },
        symbols);
    return copy;
  }

  using Key = std::tuple<std::string, int32_t, int32_t, std::vector<int32_t>>;
  std::map<Key, mlir::func::FuncOp> references_;
};

}  // namespace

std::unique_ptr<mlir::Pass> createFuseRequantisationPass(const HwConfig& hw) {
  return std::make_unique<FuseRequantisationPass>(hw);
}

}  // namespace vta::compiler
