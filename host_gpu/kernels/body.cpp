#include "host_gpu/kernels/body.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

namespace vta::codegen {

using namespace mlir;

SmallVector<Value> placeInRound(ImplicitLocOpBuilder& b, AffineMap map, ArrayRef<Value> numbers) {
  SmallVector<Value> place, operands(numbers);
  for (Value& number : operands) {
    if (!number) number = b.create<arith::ConstantIndexOp>(0);
  }
  for (const AffineExpr expression : map.getResults()) {
    if (const auto loop = dyn_cast<AffineDimExpr>(expression)) {
      place.push_back(operands[loop.getPosition()]);
    } else {
      place.push_back(b.createOrFold<affine::AffineApplyOp>(
          AffineMap::get(map.getNumDims(), 0, expression), operands));
    }
  }
  return place;
}

SmallVector<Value> cloneBody(ImplicitLocOpBuilder& b, linalg::LinalgOp op, IRMapping mapping,
                             ArrayRef<Value> numbers) {
  Block* body = op.getBlock();
  for (Operation& inside : body->without_terminator()) {
    if (auto number = dyn_cast<linalg::IndexOp>(inside)) {
      mapping.map(number.getResult(), numbers[number.getDim()]);
    } else {
      b.clone(inside, mapping);
    }
  }
  SmallVector<Value> yielded;
  for (const Value value : body->getTerminator()->getOperands()) {
    yielded.push_back(mapping.lookupOrDefault(value));
  }
  return yielded;
}

}  // namespace vta::codegen
