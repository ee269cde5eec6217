#include "host_gpu/kernels/product_frame.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace vta::codegen {

using namespace mlir;

ProductFrame::ProductFrame(ImplicitLocOpBuilder& b, const Product& product)
    : b_(b), product_(product), contraction_(product.contraction), indices_(b) {}

void ProductFrame::addBuffer(const LinearOperand& operand, GpuAccess access) {
  if (isLocal(operand.buffer)) return;
  const auto number = static_cast<unsigned>(kernel_.buffers.size());
  const auto [known, is_new] = arguments_.try_emplace(operand.buffer, number);
  if (!is_new) {
    GpuAccess& has = kernel_.accesses[known->second];
    if (has != access) has = GpuAccess::kReadWrite;
    return;
  }
  kernel_.buffers.push_back(operand.buffer);
  kernel_.accesses.push_back(access);
  const auto type = cast<MemRefType>(operand.buffer.getType());
  const auto [strides, offset] = getStridesAndOffset(type);
  int64_t end = offset + 1;
  for (const auto [extent, stride] : llvm::zip(type.getShape(), strides)) {
    end += (extent - 1) * stride;
  }
  function_.insertArgument(number, MemRefType::get({end}, type.getElementType()), {}, b_.getLoc());
}

void ProductFrame::createFunction() {
  kernel_.module = ModuleOp::create(b_.getLoc());
  b_.setInsertionPointToEnd(kernel_.module->getBody());
  function_ = b_.create<func::FuncOp>(kKernelFunction, b_.getFunctionType({}, {}));
  function_.addEntryBlock();
  addBuffer(contraction_.left, GpuAccess::kRead);
  addBuffer(contraction_.right, GpuAccess::kRead);
  if (product_.initial) addBuffer(*product_.initial, GpuAccess::kRead);
  addBuffer(contraction_.out, GpuAccess::kReadWrite);
  for (const EpilogueStep& step : product_.steps) {
    for (const std::optional<LinearOperand>& input : step.inputs) {
      if (input) addBuffer(*input, GpuAccess::kRead);
    }
    addBuffer(step.out, GpuAccess::kReadWrite);
  }
  b_.setInsertionPointToStart(&function_.front());
  b_.setInsertionPoint(b_.create<func::ReturnOp>());
  for (Operation* constant : product_.constants) b_.clone(*constant, constants_);
  // Sums of floats gain by a device that rounds a product and a sum at once.
  kernel_.keeps_roundings = !contraction_.sum.isF32();
}

Value ProductFrame::zero() {
  return b_.create<arith::ConstantOp>(b_.getZeroAttr(contraction_.sum));
}

Value ProductFrame::both(Value x, Value y) {
  if (!x || !y) return x ? x : y;
  return b_.create<arith::AndIOp>(x, y);
}

Value ProductFrame::guardedLoad(Value buffer, Value place, Value inside, Operation* extension) {
  if (inside) place = b_.create<arith::SelectOp>(inside, place, indices_.number(0));
  Value value = b_.create<memref::LoadOp>(buffer, place);
  if (extension != nullptr) {
    IRMapping mapping;
    mapping.map(extension->getOperand(0), value);
    value = b_.clone(*extension, mapping)->getResult(0);
  }
  return inside ? b_.create<arith::SelectOp>(inside, value, zero()).getResult() : value;
}

SmallVector<Value> ProductFrame::firstSums(GemmTile& tile) {
  const size_t columns = tile.columns();
  if (!product_.initial) return SmallVector<Value>(tile.rows() * columns, zero());
  const Value buffer = argument(*product_.initial);
  SmallVector<Value> sums;
  for (int64_t i = 0; i < tile.rows(); ++i) {
    const Value row = tile.rowNumber(indices_.number(i));
    const Value is_row_inside = tile.isRowInside(row);
    const GemmTile::Places places = tile.placesInRow(*product_.initial, row);
    for (size_t j = 0; j < columns; ++j) {
      if (j > 0 && !places.dependOnColumns()) {
        sums.push_back(sums.back());
        continue;
      }
      const Value column = places.dependOnColumns() ? tile.isColumnInside(j) : Value();
      sums.push_back(guardedLoad(buffer, tile.placeOf(places, j), both(is_row_inside, column)));
    }
  }
  return sums;
}

}  // namespace vta::codegen
