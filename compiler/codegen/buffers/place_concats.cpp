// host-place-concats: what a concatenation joins is computed in its place in the whole.
//
// As a chain of tensor.insert_slice, a concatenation of N parts would take MLIR's elimination of
// empty tensors more than N^3: each part's place depends on all parts in front of it. Places in a
// buffer depend on nothing.
#include <optional>

#include "compiler/codegen/passes.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Pass/Pass.h"

namespace vta::codegen {

#define GEN_PASS_DEF_HOSTPLACECONCATSPASS
#include "compiler/codegen/passes.h.inc"

namespace {

using namespace mlir;

/// A box inside of a buffer.
struct Place {
  Value buffer;
  SmallVector<int64_t> offsets;
};

bool isEmpty(Value tensor) {
  return cast<RankedTensorType>(tensor.getType()).getNumElements() == 0;
}

/// The buffer of `place`'s first elements, as a value for the builder's position.
Value viewOf(ImplicitLocOpBuilder& b, const Place& place, RankedTensorType type) {
  const auto whole = cast<MemRefType>(place.buffer.getType());
  if (whole.getShape() == type.getShape()) return place.buffer;
  SmallVector<OpFoldResult> offsets, sizes, strides(type.getRank(), b.getIndexAttr(1));
  for (const int64_t offset : place.offsets) offsets.push_back(b.getIndexAttr(offset));
  for (const int64_t extent : type.getShape()) sizes.push_back(b.getIndexAttr(extent));
  return b.create<memref::SubViewOp>(place.buffer, offsets, sizes, strides);
}

Value asTensor(ImplicitLocOpBuilder& b, Value buffer, RankedTensorType type, bool writable) {
  auto tensor = b.create<bufferization::ToTensorOp>(type, buffer);
  tensor.setRestrict(true);
  tensor.setWritable(writable);
  return tensor;
}

Operation* store(ImplicitLocOpBuilder& b, Value tensor, Value buffer) {
  auto op = b.create<bufferization::MaterializeInDestinationOp>(Type(), tensor, buffer);
  op.setRestrict(true);
  op.setWritable(true);
  return op;
}

/// The memory without contents that `part` is computed in, step by step, if `part` is computed in
/// `block` and nothing else sees the steps in front of the last.
tensor::EmptyOp startOf(Value part, Block* block) {
  for (Value value = part;;) {
    Operation* op = value.getDefiningOp();
    if (!op || op->getBlock() != block || (value != part && !value.hasOneUse())) return {};
    if (auto empty = dyn_cast<tensor::EmptyOp>(op)) {
      return value == part ? tensor::EmptyOp() : empty;
    }
    auto step = dyn_cast<DestinationStyleOpInterface>(op);
    if (!step) return {};
    value = step.getTiedOpOperand(cast<OpResult>(value))->get();
  }
}

/// The places of the parts of one function, outer concatenations first.
class ConcatPlacer {
 public:
  void run(ModuleOp module) {
    SmallVector<tensor::ConcatOp> concats;
    module.walk([&](tensor::ConcatOp op) { concats.push_back(op); });
    // Users come behind what they use, so that a whole which is itself a part has a place already.
    for (tensor::ConcatOp op : llvm::reverse(concats)) place(op);
  }

 private:
  void place(tensor::ConcatOp op) {
    ImplicitLocOpBuilder b(op.getLoc(), op);
    const RankedTensorType type = op.getResultType();
    if (type.getNumElements() == 0) {
      op.replaceAllUsesWith(b.create<tensor::EmptyOp>(type, ValueRange()).getResult());
      op.erase();
      return;
    }
    Place place = placeOf(op);
    const SmallVector<int64_t> first = place.offsets;
    for (const Value part : op.getInputs()) {
      if (!isEmpty(part)) placePart(op, part, place);
      place.offsets[op.getDim()] += cast<RankedTensorType>(part.getType()).getDimSize(op.getDim());
    }
    place.offsets = first;
    b.setInsertionPoint(op);
    // What writes it computes in a copy: a part that others read shares its memory.
    op.replaceAllUsesWith(asTensor(b, viewOf(b, place, type), type, /*writable=*/false));
    op.erase();
  }

  /// Where `op` itself is to be: a place in another whole, a result's buffer, or memory of its own.
  Place placeOf(tensor::ConcatOp op) {
    if (auto found = places_.find(op); found != places_.end()) return found->second;
    const auto type = op.getResultType();
    const SmallVector<int64_t> origin(type.getRank(), 0);
    for (Operation* user : op->getUsers()) {
      auto result = dyn_cast<bufferization::MaterializeInDestinationOp>(user);
      if (!result || !isa<BlockArgument>(result.getDest())) continue;
      auto function = dyn_cast<FunctionOpInterface>(result->getParentOp());
      if (!function || op->getBlock() != &function.front()) continue;
      const Value buffer = result.getDest();
      result.erase();
      return {buffer, origin};
    }
    OpBuilder b = OpBuilder::atBlockBegin(op->getBlock());
    const auto buffer = MemRefType::get(type.getShape(), type.getElementType());
    return {b.create<memref::AllocOp>(op.getLoc(), buffer), origin};
  }

  /// Computes `part` in its place if it can be, else copies it there.
  void placePart(tensor::ConcatOp whole, Value part, const Place& place) {
    const auto type = cast<RankedTensorType>(part.getType());
    auto inner = part.getDefiningOp<tensor::ConcatOp>();
    if (inner && inner->getBlock() == whole->getBlock() && !places_.count(inner)) {
      places_.try_emplace(inner, place);
      return;
    }
    ImplicitLocOpBuilder b(whole.getLoc(), whole);
    tensor::EmptyOp start = startOf(part, whole->getBlock());
    if (!start) {
      store(b, part, viewOf(b, place, type));
      return;
    }
    b.setInsertionPoint(start);
    const Value view = viewOf(b, place, type);
    const Value memory = asTensor(b, view, type, /*writable=*/true);
    start.replaceAllUsesWith(memory);
    start.erase();
    // Others read the place, and can not write it.
    b.setInsertionPointAfterValue(part);
    Operation* stored = store(b, part, view);
    part.replaceAllUsesExcept(asTensor(b, view, type, /*writable=*/false), stored);
  }

  llvm::DenseMap<Operation*, Place> places_;
};

class PlaceConcatsPass : public impl::HostPlaceConcatsPassBase<PlaceConcatsPass> {
 public:
  void runOnOperation() override { ConcatPlacer().run(getOperation()); }
};

}  // namespace
}  // namespace vta::codegen
