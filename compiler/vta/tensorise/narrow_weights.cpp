// vta-narrow-weights: weights of 4 or 2 bits as they lie in memory.
#include <map>
#include <string>

#include "compiler/dialects/vta/shape.h"
#include "compiler/dialects/vta/vta.h"
#include "compiler/vta/common/constants.h"
#include "compiler/vta/common/hw_pass.h"
#include "compiler/vta/common/reference.h"
#include "compiler/vta/passes.h"
#include "isa/spec/narrow_weights.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/SymbolTable.h"

namespace vta::compiler {

#define GEN_PASS_DEF_NARROWWEIGHTSPASS
#include "compiler/vta/passes.h.inc"

namespace {

using mlir::RankedTensorType;
using mlir::Value;
namespace arith = mlir::arith;

/// Builds, in a reference, the weights as int8 from those that fill whole bytes.
class WeightUnpacker {
 public:
  WeightUnpacker(mlir::OpBuilder builder, Value packed, int64_t width_bits)
      : b_(builder), loc_(packed.getLoc()), packed_(packed), width_bits_(width_bits) {}

  /// Of type `original`, [OC/bo][IC/bi][KH][KW][bo][bi].
  Value build(RankedTensorType original) {
    Value out = b_.create<mlir::tensor::EmptyOp>(loc_, original.getShape(), b_.getI8Type());
    const auto identity = b_.getMultiDimIdentityMap(6);
    const llvm::SmallVector<mlir::utils::IteratorType> parallel(
        6, mlir::utils::IteratorType::parallel);
    auto generic = b_.create<mlir::linalg::GenericOp>(
        loc_, original, mlir::ValueRange{}, out, llvm::ArrayRef{identity}, parallel,
        [&](mlir::OpBuilder& b, mlir::Location loc, mlir::ValueRange) {
          b.create<mlir::linalg::YieldOp>(loc, weight(b, original.getShape().back()));
        });
    return generic.getResult(0);
  }

 private:
  /// The weight at the loops' indexes: to the top of a byte, and down again with its sign.
  Value weight(mlir::OpBuilder& b, int64_t block_in) {
    const auto index = [&](uint64_t dim) -> Value {
      return b.create<mlir::linalg::IndexOp>(loc_, dim);
    };
    const auto constant = [&](int64_t value) -> Value {
      return b.create<arith::ConstantIndexOp>(loc_, value);
    };
    Value number = b.create<arith::AddIOp>(
        loc_, b.create<arith::MulIOp>(loc_, index(4), constant(block_in)), index(5));
    Value in_a_byte = constant(8 / width_bits_);
    Value byte = b.create<mlir::tensor::ExtractOp>(
        loc_, packed_,
        mlir::ValueRange{index(0), index(1), index(2), index(3),
                         b.create<arith::DivUIOp>(loc_, number, in_a_byte)});
    Value lsb = b.create<arith::MulIOp>(loc_, b.create<arith::RemUIOp>(loc_, number, in_a_byte),
                                        constant(width_bits_));
    Value above = b.create<arith::SubIOp>(loc_, constant(8 - width_bits_), lsb);
    Value top = b.create<arith::ShLIOp>(loc_, byte,
                                        b.create<arith::IndexCastOp>(loc_, b.getI8Type(), above));
    Value down =
        b.create<arith::ConstantOp>(loc_, b.getI8IntegerAttr(static_cast<int8_t>(8 - width_bits_)));
    return b.create<arith::ShRSIOp>(loc_, top, down);
  }

  mlir::OpBuilder b_;
  mlir::Location loc_;
  Value packed_;
  int64_t width_bits_;
};

class NarrowWeightsPass : public HwPass<impl::NarrowWeightsPassBase<NarrowWeightsPass>> {
 public:
  using HwPass::HwPass;

  void runOnOperation() override {
    references_.clear();
    if (hw_.params().wgt_width_bits == 8) return;
    mlir::SymbolTable symbols(getOperation());
    llvm::SmallVector<KernelOp> kernels;  // first: references disappear on the way
    getOperation().walk([&](KernelOp op) { kernels.push_back(op); });
    for (KernelOp op : kernels) {
      if (op.getWeight() && !op.getWeightWidthBits()) pack(op, symbols);
    }
  }

 private:
  void pack(KernelOp op, mlir::SymbolTable& symbols) {
    const int width_bits = hw_.params().wgt_width_bits;
    mlir::OpBuilder builder(op);
    // A kernel has no other weights: vta-partition leaves those on the host.
    const std::vector<int8_t> values = packWeights(*readBytes(op.getWeight()), width_bits);
    llvm::SmallVector<int64_t> shape(shapeOf(op.getWeight()).take_front(4));
    shape.push_back(hw_.elemBytes(MemoryType::kWgt));
    const auto type = RankedTensorType::get(shape, builder.getI8Type());
    Value constant = builder.create<arith::ConstantOp>(
        op.getLoc(), mlir::DenseIntElementsAttr::get(type, llvm::ArrayRef(values)));
    const auto old_reference = symbols.lookup<mlir::func::FuncOp>(op.getReference());
    replaceReference(op, old_reference, referenceOf(old_reference, type, symbols), symbols);
    op.getWeightMutable().assign(constant);
    op.setWeightWidthBits(width_bits);
  }

  /// A copy of the kernel's reference that takes packed weights. Kernels that shared one share it.
  mlir::func::FuncOp referenceOf(mlir::func::FuncOp old, RankedTensorType type,
                                 mlir::SymbolTable& symbols) {
    mlir::func::FuncOp& copy = references_[old.getSymName().str()];
    if (copy) return copy;
    constexpr unsigned kWeight = 1;
    copy = copyWithArgument(
        old, "_narrow", kWeight, type,
        [&](mlir::OpBuilder b, mlir::BlockArgument argument, RankedTensorType original) {
          return WeightUnpacker(b, argument, hw_.params().wgt_width_bits).build(original);
        },
        symbols);
    return copy;
  }

  std::map<std::string, mlir::func::FuncOp> references_;
};

}  // namespace

std::unique_ptr<mlir::Pass> createNarrowWeightsPass(const HwConfig& hw) {
  return std::make_unique<NarrowWeightsPass>(hw);
}

}  // namespace vta::compiler
