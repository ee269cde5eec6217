#include "compiler/vta/host/lower_packing.h"

#include "compiler/dialects/graph/graph.h"

namespace vta::compiler {

namespace {

using mlir::RankedTensorType;
using mlir::Value;
using Extents = llvm::SmallVector<int64_t>;

/// The steps between a plain tensor and its packed form; the same for both directions.
struct PackingSteps {
  Extents padded;       // the plain shape with whole blocks
  Extents split;        // each packed dimension split: (n, b, c, blk, h, w) or (m, b, k, blk)
  Extents permutation;  // packed order of `split`'s dimensions
  Extents permuted;     // its shape; the packed shape but for unit dimensions
};

PackingSteps planSteps(RankedTensorType plain, RankedTensorType packed) {
  const int64_t batch = packed.getDimSize(4), block = packed.getDimSize(5);
  const auto shape = packed.getShape();
  PackingSteps steps;
  if (plain.getRank() == 4) {
    steps.padded = {shape[0] * batch, shape[1] * block, shape[2], shape[3]};
    steps.split = {shape[0], batch, shape[1], block, shape[2], shape[3]};
    steps.permutation = {0, 2, 4, 5, 1, 3};
  } else {
    steps.padded = {shape[3] * batch, shape[1] * block};
    steps.split = {shape[3], batch, shape[1], block};
    steps.permutation = {2, 0, 1, 3};
  }
  for (int64_t d : steps.permutation) steps.permuted.push_back(steps.split[static_cast<size_t>(d)]);
  return steps;
}

/// Skips operations that would change nothing.
class Emitter {
 public:
  Emitter(mlir::OpBuilder& builder, mlir::Location loc) : builder_(builder), loc_(loc) {}

  Value reshape(Value value, llvm::ArrayRef<int64_t> shape) {
    if (typeOf(value).getShape() == shape) return value;
    return builder_.create<graph::ReshapeOp>(loc_, withShape(value, shape), value);
  }
  Value transpose(Value value, llvm::ArrayRef<int64_t> permutation) {
    Extents shape;
    for (int64_t d : permutation)
      shape.push_back(typeOf(value).getDimSize(static_cast<unsigned>(d)));
    return builder_.create<graph::TransposeOp>(loc_, withShape(value, shape), value, permutation);
  }
  Value padTo(Value value, llvm::ArrayRef<int64_t> shape) {
    if (typeOf(value).getShape() == shape) return value;
    const Extents low(shape.size(), 0);
    Extents high;
    for (auto [to, from] : llvm::zip_equal(shape, typeOf(value).getShape())) {
      high.push_back(to - from);
    }
    return builder_.create<graph::PadOp>(loc_, withShape(value, shape), value, low, high,
                                         graph::PadMode::constant, llvm::APFloat(0.0));
  }
  Value sliceTo(Value value, llvm::ArrayRef<int64_t> shape) {
    if (typeOf(value).getShape() == shape) return value;
    const Extents starts(shape.size(), 0), steps(shape.size(), 1);
    return builder_.create<graph::SliceOp>(loc_, withShape(value, shape), value, starts, steps);
  }

 private:
  static RankedTensorType typeOf(Value value) {
    return mlir::cast<RankedTensorType>(value.getType());
  }
  static RankedTensorType withShape(Value value, llvm::ArrayRef<int64_t> shape) {
    return RankedTensorType::get(shape, typeOf(value).getElementType());
  }

  mlir::OpBuilder& builder_;
  mlir::Location loc_;
};

}  // namespace

Value lowerPack(PackOp op, Value input, mlir::OpBuilder& builder) {
  auto plain = mlir::cast<RankedTensorType>(op.getInput().getType());
  auto packed = mlir::cast<RankedTensorType>(op.getType());
  const PackingSteps steps = planSteps(plain, packed);
  Emitter emit(builder, op.getLoc());
  Value value = emit.reshape(emit.padTo(input, steps.padded), steps.split);
  return emit.reshape(emit.transpose(value, steps.permutation), packed.getShape());
}

Value lowerUnpack(UnpackOp op, Value input, mlir::OpBuilder& builder) {
  auto plain = mlir::cast<RankedTensorType>(op.getType());
  auto packed = mlir::cast<RankedTensorType>(op.getInput().getType());
  const PackingSteps steps = planSteps(plain, packed);
  Extents inverse(steps.permutation.size());
  for (auto [i, d] : llvm::enumerate(steps.permutation)) {
    inverse[static_cast<size_t>(d)] = static_cast<int64_t>(i);
  }
  Emitter emit(builder, op.getLoc());
  Value value = emit.transpose(emit.reshape(input, steps.permuted), inverse);
  return emit.sliceTo(emit.reshape(value, steps.padded), plain.getShape());
}

}  // namespace vta::compiler
