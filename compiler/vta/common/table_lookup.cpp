#include "compiler/vta/common/table_lookup.h"

#include "isa/spec/lookup_table.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Matchers.h"

namespace vta::compiler {

using mlir::Value;
namespace arith = mlir::arith;

namespace {

constexpr int64_t kSignBit = -128;  // flipping it adds 128 to an int8, read as an unsigned number

bool isSignBit(Value value) {
  llvm::APInt bits;
  return mlir::matchPattern(value, mlir::m_ConstantInt(&bits)) && bits.getBitWidth() == 8 &&
         bits.getSExtValue() == kSignBit;
}

/// The number that `place` counts from the table's start; null for other computations.
Value numberAt(Value place) {
  auto cast = place.getDefiningOp<arith::IndexCastUIOp>();
  auto biased = cast ? cast.getIn().getDefiningOp<arith::XOrIOp>() : nullptr;
  auto low = biased ? biased.getLhs().getDefiningOp<arith::TruncIOp>() : nullptr;
  return low && isSignBit(biased.getRhs()) ? low.getIn() : Value();
}

}  // namespace

Value tableConstant(mlir::OpBuilder& builder, mlir::Location loc,
                    const std::vector<int8_t>& table) {
  const auto type =
      mlir::RankedTensorType::get({static_cast<int64_t>(table.size())}, builder.getI8Type());
  return builder.create<arith::ConstantOp>(
      loc, mlir::DenseElementsAttr::get(type, llvm::ArrayRef<int8_t>(table)));
}

Value lookUp(mlir::OpBuilder& builder, mlir::Location loc, Value x, Value table) {
  const mlir::Type i8 = builder.getI8Type();
  Value low = builder.create<arith::TruncIOp>(loc, i8, x);
  Value sign = builder.create<arith::ConstantOp>(loc, builder.getIntegerAttr(i8, kSignBit));
  Value biased = builder.create<arith::XOrIOp>(loc, low, sign);
  Value place = builder.create<arith::IndexCastUIOp>(loc, builder.getIndexType(), biased);
  Value result = builder.create<mlir::tensor::ExtractOp>(loc, table, place);
  return builder.create<arith::ExtSIOp>(loc, builder.getI32Type(), result);
}

std::optional<std::vector<int8_t>> matchLookup(mlir::linalg::GenericOp op) {
  if (op.getNumDpsInputs() != 1 || op.getNumDpsInits() != 1) return std::nullopt;
  Value yielded = op.getBody()->getTerminator()->getOperand(0);
  auto wide = yielded.getDefiningOp<arith::ExtSIOp>();
  auto read = wide ? wide.getIn().getDefiningOp<mlir::tensor::ExtractOp>() : nullptr;
  if (!read || !wide.getType().isInteger(32) || read.getIndices().size() != 1) return std::nullopt;
  const Value x = numberAt(read.getIndices()[0]);
  if (x != op.getBody()->getArgument(0) || !x.getType().isInteger(32)) return std::nullopt;
  mlir::DenseIntElementsAttr entries;
  if (!mlir::matchPattern(read.getTensor(), mlir::m_Constant(&entries)) ||
      entries.getNumElements() != kTableEntries || !entries.getElementType().isInteger(8)) {
    return std::nullopt;
  }
  const auto values = entries.getValues<int8_t>();
  return std::vector<int8_t>(values.begin(), values.end());
}

}  // namespace vta::compiler
