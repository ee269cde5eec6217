// vta-narrow-weights: weights of 4 or 2 bits as they lie in memory.
#include "isa/spec/narrow_weights.h"
#include "compiler/dialects/vta/shape.h"
#include "compiler/dialects/vta/vta.h"
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

#define GEN_PASS_DEF_NARROWWEIGHTSPASS
#include "compiler/vta/passes.h.inc"

namespace {

using mlir::Value;
namespace arith = mlir::arith;

/// A weight as int8, of those that fill whole bytes: to the top of a byte, and down with its sign.
Value unpackedWeight(mlir::OpBuilder& b, mlir::Location loc, Value packed, int64_t block_in,
                     int64_t width_bits) {
  const auto index = [&](uint64_t dim) -> Value {
    return b.create<mlir::linalg::IndexOp>(loc, dim);
  };
  const auto constant = [&](int64_t value) -> Value {
    return b.create<arith::ConstantIndexOp>(loc, value);
  };
  Value number = b.create<arith::AddIOp>(
      loc, b.create<arith::MulIOp>(loc, index(4), constant(block_in)), index(5));
  Value in_a_byte = constant(8 / width_bits);
  Value byte = b.create<mlir::tensor::ExtractOp>(
      loc, packed,
      mlir::ValueRange{index(0), index(1), index(2), index(3),
                       b.create<arith::DivUIOp>(loc, number, in_a_byte)});
  Value lsb = b.create<arith::MulIOp>(loc, b.create<arith::RemUIOp>(loc, number, in_a_byte),
                                      constant(width_bits));
  Value above = b.create<arith::SubIOp>(loc, constant(8 - width_bits), lsb);
  Value top =
      b.create<arith::ShLIOp>(loc, byte, b.create<arith::IndexCastOp>(loc, b.getI8Type(), above));
  Value down =
      b.create<arith::ConstantOp>(loc, b.getI8IntegerAttr(static_cast<int8_t>(8 - width_bits)));
  return b.create<arith::ShRSIOp>(loc, top, down);
}

class NarrowWeightsPass : public HwPass<impl::NarrowWeightsPassBase<NarrowWeightsPass>> {
 public:
  using HwPass::HwPass;

  void runOnOperation() override {
    if (hw_.params().wgt_width_bits == 8) return;
    mlir::SymbolTable symbols(getOperation());
    WeightReplacer replacer("_narrow", symbols);
    for (KernelOp op : kernelsOf(getOperation())) {
      if (op.getWeight() && !op.getWeightWidthBits()) pack(op, replacer);
    }
  }

 private:
  void pack(KernelOp op, WeightReplacer& replacer) {
    const int width_bits = hw_.params().wgt_width_bits;
    llvm::SmallVector<int64_t> shape(shapeOf(op.getWeight()).take_front(4));
    shape.push_back(hw_.elemBytes(MemoryType::kWgt));
    // A kernel has no other weights: vta-partition leaves those on the host.
    replacer.replace(op, shape, packWeights(*readBytes(op.getWeight()), width_bits),
                     [&](mlir::OpBuilder& b, mlir::Location loc, Value weights, int64_t block_in) {
                       return unpackedWeight(b, loc, weights, block_in, width_bits);
                     });
    op.setWeightWidthBits(width_bits);
  }
};

}  // namespace

std::unique_ptr<mlir::Pass> createNarrowWeightsPass(const HwConfig& hw) {
  return std::make_unique<NarrowWeightsPass>(hw);
}

}  // namespace vta::compiler
