// graph.check_indices: one pass over the indices, and a call where one is outside.
#include "compiler/codegen/graph_to_linalg/graph_to_linalg.h"
#include "compiler/codegen/graph_to_linalg/patterns.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace vta::compiler::graph_to_linalg {
namespace {

using namespace mlir;

Value widened(Builder& b, Value index) {
  const Type i64 = b.getI64Type();
  return index.getType() == i64 ? index : b.create<arith::ExtSIOp>(i64, index);
}

/// The largest of all indices + extent, as unsigned numbers: below 2 * extent if none is outside.
Value farthest(Builder& b, Value indices, Value extent) {
  const int64_t rank = tensorType(indices).getRank();
  const auto scalar = RankedTensorType::get({}, b.getI64Type());
  const Value zero = filledTensor(b, scalar, constantInt(b, b.getI64Type(), 0));
  const AffineMap maps[] = {b.getMultiDimIdentityMap(rank),
                            AffineMap::get(rank, 0, {}, b.getContext())};
  const SmallVector<utils::IteratorType> iterators(rank, utils::IteratorType::reduction);
  auto reduced = b.create<linalg::GenericOp>(
      scalar, indices, zero, maps, iterators, [&](OpBuilder& inner, Location loc, ValueRange v) {
        Builder body(loc, inner);
        const Value moved = body.create<arith::AddIOp>(widened(body, v[0]), extent);
        const Value larger = body.create<arith::MaxUIOp>(moved, v[1]);
        body.create<linalg::YieldOp>(larger);
      });
  return b.create<tensor::ExtractOp>(reduced.getResult(0), ValueRange());
}

/// Position `place` of the last dimension.
Value lastDimension(Builder& b, Value indices, int64_t place) {
  const RankedTensorType type = tensorType(indices);
  SmallVector<OpFoldResult> offsets(type.getRank(), b.getIndexAttr(0)), sizes;
  const SmallVector<OpFoldResult> strides(type.getRank(), b.getIndexAttr(1));
  SmallVector<int64_t> shape(type.getShape());
  shape.back() = 1;
  offsets.back() = b.getIndexAttr(place);
  for (const int64_t extent : shape) sizes.push_back(b.getIndexAttr(extent));
  return b.create<tensor::ExtractSliceOp>(type.clone(shape), indices, offsets, sizes, strides);
}

void reportIfOutside(Builder& b, Value indices, int64_t extent_value, StringAttr node) {
  const Value extent = constantInt(b, b.getI64Type(), extent_value);
  const Value found = farthest(b, indices, extent);
  const Value legal = constantInt(b, b.getI64Type(), 2 * extent_value);
  const Value outside = b.create<arith::CmpIOp>(arith::CmpIPredicate::uge, found, legal);
  b.create<scf::IfOp>(outside, [&](OpBuilder& inner, Location loc) {
    Builder body(loc, inner);
    const Value index = body.create<arith::SubIOp>(found, extent);
    auto call =
        body.create<func::CallOp>(kBadIndexFunction, TypeRange(), ValueRange{index, extent});
    call->setAttr(kBadIndexNodeAttr, node);
    body.create<scf::YieldOp>();
  });
}

Value convertCheckIndices(Builder& b, graph::CheckIndicesOp op,
                          OpConversionPattern<graph::CheckIndicesOp>::OpAdaptor adaptor) {
  const Value indices = adaptor.getInput();
  const ArrayRef<int64_t> extents = op.getExtents();
  if (tensorType(indices).getNumElements() == 0) return indices;
  for (const auto [place, extent] : llvm::enumerate(extents)) {
    const Value part = extents.size() == 1 ? indices : lastDimension(b, indices, place);
    reportIfOutside(b, part, extent, op.getNodeAttr());
  }
  return indices;
}

}  // namespace

void declareBadIndex(Operation* root) {
  bool is_needed = false;
  root->walk([&](graph::CheckIndicesOp) { is_needed = true; });
  auto module = isa<ModuleOp>(root) ? cast<ModuleOp>(root) : root->getParentOfType<ModuleOp>();
  if (!is_needed || !module || module.lookupSymbol(kBadIndexFunction)) return;
  OpBuilder b = OpBuilder::atBlockEnd(module.getBody());
  const Type i64 = b.getI64Type();
  b.create<func::FuncOp>(module.getLoc(), kBadIndexFunction, b.getFunctionType({i64, i64}, {}))
      .setPrivate();
}

void addIndexPatterns(RewritePatternSet& patterns, const TypeConverter& types) {
  addPattern<graph::CheckIndicesOp>(patterns, types, convertCheckIndices);
}

}  // namespace vta::compiler::graph_to_linalg
