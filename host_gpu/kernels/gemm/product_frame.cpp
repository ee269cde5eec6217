#include "host_gpu/kernels/gemm/product_frame.h"

#include "base/integer_math.h"
#include "host_gpu/kernels/gemm/gemm_epilogue.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

namespace vta::codegen {

using namespace mlir;

ProductFrame::ProductFrame(ImplicitLocOpBuilder& b, const Product& product)
    : b_(b), product_(product), contraction_(product.contraction), indices_(b) {}

void ProductFrame::addBuffer(const LinearOperand& operand, GpuAccess access, bool in_words) {
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
  const MemRefType row = in_words ? MemRefType::get({ceilDiv(end, 4)}, contraction_.sum)
                                  : MemRefType::get({end}, type.getElementType());
  function_.insertArgument(number, row, {}, b_.getLoc());
}

void ProductFrame::createFunction(ArrayRef<Input> inputs) {
  kernel_.module = ModuleOp::create(b_.getLoc());
  b_.setInsertionPointToEnd(kernel_.module->getBody());
  function_ = b_.create<func::FuncOp>(kKernelFunction, b_.getFunctionType({}, {}));
  function_.addEntryBlock();
  for (const Input& input : inputs) addBuffer(input.operand, GpuAccess::kRead, input.in_words);
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

SmallVector<Value> ProductFrame::firstSums(GemmTile& tile, Value inside) {
  const size_t columns = tile.columns();
  if (!product_.initial) return SmallVector<Value>(tile.rows() * columns, zero());
  const Value buffer = argument(*product_.initial);
  SmallVector<Value> sums;
  for (int64_t i = 0; i < tile.rows(); ++i) {
    const Value row = tile.rowNumber(indices_.number(i));
    const Value is_row_inside = indices_.both(tile.isRowInside(row), inside);
    const GemmTile::Places places = tile.placesInRow(*product_.initial, row);
    for (size_t j = 0; j < columns; ++j) {
      if (j > 0 && !places.dependOnColumns()) {
        sums.push_back(sums.back());
        continue;
      }
      const Value column = places.dependOnColumns() ? tile.isColumnInside(j) : Value();
      sums.push_back(loadInside(b_, buffer, tile.placeOf(places, j), /*known=*/0,
                                indices_.both(is_row_inside, column),
                                [](Value element) { return element; }));
    }
  }
  return sums;
}

void ProductFrame::finish(ArrayRef<Value> sums, GemmTile& tile) {
  const auto argument_of = [this](const LinearOperand& operand) { return argument(operand); };
  EpilogueEmitter(b_, contraction_, product_.steps, constants_, argument_of, tile).emit(sums);
}

}  // namespace vta::codegen
