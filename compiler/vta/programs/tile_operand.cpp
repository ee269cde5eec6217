#include "compiler/vta/programs/tile_operand.h"

#include <cstring>
#include <vector>

#include "compiler/dialects/graph/graph.h"
#include "compiler/dialects/vta/shape.h"
#include "compiler/dialects/vta/vta.h"
#include "compiler/vta/common/constants.h"
#include "isa/spec/narrow_weights.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

namespace vta::compiler {
namespace {

using mlir::RankedTensorType;
using mlir::Value;

mlir::Type operandElement(const TileOperand& operand, mlir::MLIRContext* context) {
  return mlir::IntegerType::get(context, operand.is_int32 ? 32 : 8);
}

/// Values of a packed tensor from those of the plain one.
template <typename T>
std::vector<T> packValues(const std::vector<T>& plain, const TileOperand& operand) {
  const auto& to = operand.packed;
  const auto& image = operand.image;
  std::vector<T> values;
  for (int64_t n = 0; n < to[0]; ++n) {
    for (int64_t c = 0; c < to[1]; ++c) {
      for (int64_t pixel = 0; pixel < to[2] * to[3]; ++pixel) {
        for (int64_t row = 0; row < to[4]; ++row) {
          for (int64_t lane = 0; lane < to[5]; ++lane) {
            const int64_t channel = c * to[5] + lane;
            const int64_t at = ((n * to[4] + row) * image[1] + channel) * to[2] * to[3] + pixel;
            values.push_back(plain[static_cast<size_t>(operand.is_vector ? channel : at)]);
          }
        }
      }
    }
  }
  return values;
}

template <typename T>
Value packedConstant(mlir::OpBuilder& builder, mlir::Location loc, llvm::ArrayRef<int64_t> shape,
                     const std::vector<T>& values) {
  const auto type = RankedTensorType::get(shape, builder.getIntegerType(8 * sizeof(T)));
  return builder.create<mlir::arith::ConstantOp>(
      loc, mlir::DenseElementsAttr::get(type, llvm::ArrayRef<T>(values)));
}

Value asShape(mlir::OpBuilder& builder, mlir::Location loc, Value value,
              llvm::ArrayRef<int64_t> shape) {
  const auto type = mlir::cast<RankedTensorType>(value.getType());
  if (type.getShape() == shape) return value;
  return builder.create<graph::ReshapeOp>(loc, RankedTensorType::get(shape, type.getElementType()),
                                          value);
}

}  // namespace

RankedTensorType TileOperand::plainType(mlir::MLIRContext* context) const {
  return RankedTensorType::get(plain, operandElement(*this, context));
}

TileOperand tileOperand(const tile::TensorDecl& tensor, const HwConfig& hw) {
  TileOperand operand;
  const bool is_weight = tensor.memory == MemoryType::kWgt;
  const int64_t rows = is_weight ? hw.blockOut() : hw.batch();
  const bool is_factor = is_weight || tensor.memory == MemoryType::kInp;
  const int64_t columns = is_factor ? hw.blockIn() : hw.blockOut();
  const tile::Shape& shape = tensor.shape;
  operand.is_int32 = tensor.memory == MemoryType::kAcc;
  const int width_bits = hw.params().wgt_width_bits;
  operand.narrow_bits = is_weight && width_bits < 8 ? width_bits : 0;
  if (shape.size() == 1) {
    operand.is_vector = tensor.memory != MemoryType::kOut;
    operand.plain = {shape[0] * columns};
    if (!operand.is_vector) operand.plain.insert(operand.plain.begin(), rows);
    operand.image = {rows, shape[0] * columns, 1, 1};
  } else {
    operand.plain.assign(shape.begin(), shape.end());
    operand.plain[0] *= rows;
    operand.plain[1] *= columns;
    operand.image = {operand.plain[0], operand.plain[1], 1, 1};
    // Axes behind the first two lie in their order: one width, or a height and a width.
    const bool has_height = shape.size() > 3;
    if (has_height) operand.image[2] = shape[2];
    for (size_t i = has_height ? 3 : 2; i < shape.size(); ++i) operand.image[3] *= shape[i];
  }
  operand.packed = {operand.image[0] / rows,
                    operand.image[1] / columns,
                    operand.image[2],
                    operand.image[3],
                    rows,
                    columns};
  return operand;
}

Value packOperand(mlir::OpBuilder& builder, mlir::Location loc, Value value,
                  const TileOperand& operand) {
  if (operand.narrow_bits > 0) {
    const std::vector<int8_t> tiles = packValues(*readBytes(value), operand);
    const std::vector<int8_t> narrow = packWeights(tiles, operand.narrow_bits);
    llvm::SmallVector<int64_t> shape(llvm::ArrayRef(operand.packed).take_front(4));
    shape.push_back(operand.packed[4] * operand.packed[5] * operand.narrow_bits / 8);
    return packedConstant(builder, loc, shape, narrow);
  }
  if (isConstant(value)) {
    if (operand.is_int32) {
      return packedConstant(builder, loc, operand.packed,
                            packValues(*readIntegers(value), operand));
    }
    return packedConstant(builder, loc, operand.packed, packValues(*readBytes(value), operand));
  }
  const mlir::Type element = operandElement(operand, builder.getContext());
  if (operand.is_vector && operand.image[0] > 1) {
    const auto repeated = RankedTensorType::get({operand.image[0], operand.image[1]}, element);
    value = builder.create<graph::ExpandOp>(loc, repeated, value);
  }
  return builder.create<PackOp>(loc, RankedTensorType::get(operand.packed, element),
                                asShape(builder, loc, value, operand.image));
}

Value unpackOperand(mlir::OpBuilder& builder, mlir::Location loc, Value value,
                    const TileOperand& operand) {
  const mlir::Type element = operandElement(operand, builder.getContext());
  value = builder.create<UnpackOp>(loc, RankedTensorType::get(operand.image, element), value);
  if (operand.is_vector && operand.image[0] > 1) {
    const llvm::SmallVector<int64_t> one_row = {1, operand.image[1], 1, 1};
    value = builder.create<graph::SliceOp>(loc, RankedTensorType::get(one_row, element), value,
                                           llvm::SmallVector<int64_t>(4, 0),
                                           llvm::SmallVector<int64_t>(4, 1));
  }
  return asShape(builder, loc, value, operand.plain);
}

Value ownConstant(mlir::OpBuilder& builder, mlir::Location loc, const tile::TensorDecl& tensor,
                  const TileOperand& operand) {
  const auto of = [&]<typename T>(T /*like*/) {
    std::vector<T> values(tensor.contents.size() / sizeof(T));
    std::memcpy(values.data(), tensor.contents.data(), values.size() * sizeof(T));
    return values;
  };
  if (operand.is_int32) return packedConstant(builder, loc, operand.packed, of(int32_t{}));
  const std::vector<int8_t> values = of(int8_t{});
  if (operand.narrow_bits == 0) return packedConstant(builder, loc, operand.packed, values);
  return packedConstant(builder, loc, {static_cast<int64_t>(values.size())}, values);
}

}  // namespace vta::compiler
