// vta-read-stored-weights: products read their second operand where a kernel has stored it.
#include <optional>

#include "compiler/dialects/graph/element_order.h"
#include "compiler/dialects/graph/graph.h"
#include "compiler/dialects/vta/shape.h"
#include "compiler/dialects/vta/vta.h"
#include "compiler/kernel/schedule/schedule_space.h"
#include "compiler/vta/common/hw_pass.h"
#include "compiler/vta/common/kernels.h"
#include "compiler/vta/common/replace_weights.h"
#include "compiler/vta/passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace vta::compiler {

#define GEN_PASS_DEF_READSTOREDWEIGHTSPASS
#include "compiler/vta/passes.h.inc"

namespace {

using graph::ElementLoop;
using kernel::KernelDesc;
using kernel::WeightLayout;
using mlir::Value;
namespace arith = mlir::arith;

/// A matrix that a kernel has stored: packed [1, columns / block, rows, ...] in whole blocks, its
/// plain form, and the elements of that from one row or column to the next.
struct StoredMatrix {
  Value packed, plain;
  int64_t rows = 0;
  int64_t row_stride = 1, column_stride = 1;
};

/// The matrix that `weights` are made of by reshapes and transposes. Pixels are the rows of an
/// image.
std::optional<StoredMatrix> matrixBehind(Value weights) {
  while (mlir::isa_and_nonnull<graph::ReshapeOp, graph::TransposeOp>(weights.getDefiningOp())) {
    weights = weights.getDefiningOp()->getOperand(0);
  }
  auto unpack = weights.getDefiningOp<UnpackOp>();
  if (!unpack || !unpack.getInput().getDefiningOp<KernelOp>()) return std::nullopt;
  const llvm::ArrayRef<int64_t> plain = shapeOf(weights), packed = shapeOf(unpack.getInput());
  if (plain[1] != packed[1] * packed[5]) return std::nullopt;
  if (plain.size() == 2 && plain[0] == packed[3] * packed[4]) {
    return StoredMatrix{unpack.getInput(), weights, plain[0], plain[1], 1};
  }
  if (plain.size() == 4 && plain[0] == 1 && packed[4] == 1) {
    const int64_t pixels = plain[2] * plain[3];
    return StoredMatrix{unpack.getInput(), weights, pixels, 1, pixels};
  }
  return std::nullopt;
}

/// The order of weights [OC/bo][IC/bi][1][1][bo][bi] in a matrix whose rows are output or input
/// channels of a group, with the columns of all groups side by side.
llvm::SmallVector<ElementLoop> weightOrder(const KernelDesc& desc, const StoredMatrix& matrix,
                                           int64_t block_out, int64_t block_in) {
  const kernel::Geometry& g = desc.geometry;
  const int64_t row = matrix.row_stride, column = matrix.column_stride;
  const int64_t outs = g.outBlocksPerGroup(), ins = g.inBlocksPerGroup();
  if (desc.weight_layout == WeightLayout::kOutputRows) {
    return {{g.groups, ins * block_in * column},
            {outs, block_out * row},
            {ins, block_in * column},
            {block_out, row},
            {block_in, column}};
  }
  return {{g.out_channel_blocks, block_out * column},
          {ins * g.kernel_width, block_in * row},
          {block_out, column},
          {block_in, row}};
}

/// A weight as the kernel's proof has it, of those in `matrix`, which is packed.
Value storedWeight(mlir::OpBuilder& b, mlir::Location loc, Value matrix, int64_t block_in,
                   const KernelDesc& desc, int64_t block_out) {
  const auto index = [&](uint64_t dim) -> Value {
    return b.create<mlir::linalg::IndexOp>(loc, dim);
  };
  const auto constant = [&](int64_t value) -> Value {
    return b.create<arith::ConstantIndexOp>(loc, value);
  };
  const auto place = [&](Value block, int64_t size, Value lane) -> Value {
    return b.create<arith::AddIOp>(loc, b.create<arith::MulIOp>(loc, block, constant(size)), lane);
  };
  const kernel::Geometry& g = desc.geometry;
  Value row, block, lane;
  if (desc.weight_layout == WeightLayout::kOutputRows) {
    Value outs = constant(g.outBlocksPerGroup());
    row = place(b.create<arith::RemUIOp>(loc, index(0), outs), block_out, index(4));
    block = place(b.create<arith::DivUIOp>(loc, index(0), outs), g.inBlocksPerGroup(), index(1));
    lane = index(5);
  } else {
    row = place(place(index(1), g.kernel_width, index(3)), block_in, index(5));
    block = index(0);
    lane = index(4);
  }
  // Rows lie one behind the other over the height, the width and the batch.
  const llvm::ArrayRef<int64_t> shape = shapeOf(matrix);
  Value batch = constant(shape[4]), width = constant(shape[3]);
  Value pixel = b.create<arith::DivUIOp>(loc, row, batch);
  return b.create<mlir::tensor::ExtractOp>(
      loc, matrix,
      mlir::ValueRange{constant(0), block, b.create<arith::DivUIOp>(loc, pixel, width),
                       b.create<arith::RemUIOp>(loc, pixel, width),
                       b.create<arith::RemUIOp>(loc, row, batch), lane});
}

class ReadStoredWeightsPass
    : public HwPass<impl::ReadStoredWeightsPassBase<ReadStoredWeightsPass>> {
 public:
  using HwPass::HwPass;

  void runOnOperation() override {
    mlir::SymbolTable symbols(getOperation());
    WeightReplacer output_rows("_output_rows", symbols), input_rows("_input_rows", symbols);
    for (KernelOp op : kernelsOf(getOperation())) {
      if (!op.getWeight()) continue;
      if (!readFrom(op, WeightLayout::kOutputRows, output_rows)) {
        readFrom(op, WeightLayout::kInputRows, input_rows);
      }
    }
  }

 private:
  /// False if the weights of `op` do not lie so, or the hardware cannot read them so.
  bool readFrom(KernelOp op, WeightLayout layout, WeightReplacer& replacer) {
    const auto matrix = matrixBehind(op.getWeight());
    if (!matrix) return false;
    KernelDesc desc = op.getDesc().getValue();
    desc.weight_layout = layout;
    const int64_t block_out = hw_.blockOut(), block_in = hw_.blockIn();
    const bool by_outputs = layout == WeightLayout::kOutputRows;
    const int64_t columns_block = by_outputs ? block_in : block_out;
    const int64_t rows =
        by_outputs ? desc.geometry.outBlocksPerGroup() * block_out
                   : desc.geometry.inBlocksPerGroup() * desc.geometry.kernel_width * block_in;
    if (matrix->rows != rows || shapeOf(matrix->packed)[5] != columns_block ||
        !graph::hasOrder(matrix->plain, op.getWeight(),
                         weightOrder(desc, *matrix, block_out, block_in)) ||
        !kernel::checkRunnable(desc, hw_).ok()) {
      return false;
    }
    const Value moved = op.getWeight();
    replacer.replace(op, matrix->packed,
                     [&](mlir::OpBuilder& b, mlir::Location loc, Value weights, int64_t) {
                       return storedWeight(b, loc, weights, block_in, desc, block_out);
                     });
    op.setDescAttr(KernelAttr::get(op.getContext(), desc));
    eraseUnused(moved);
    return true;
  }

  /// What made `value`, if nobody uses it, and what that alone has used.
  static void eraseUnused(Value value) {
    while (mlir::Operation* op = value.getDefiningOp()) {
      if (!mlir::isOpTriviallyDead(op)) return;
      value = op->getOperand(0);
      op->erase();
    }
  }
};

}  // namespace

std::unique_ptr<mlir::Pass> createReadStoredWeightsPass(const HwConfig& hw) {
  return std::make_unique<ReadStoredWeightsPass>(hw);
}

}  // namespace vta::compiler
