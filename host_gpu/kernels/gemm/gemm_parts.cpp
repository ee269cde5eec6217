#include "host_gpu/kernels/gemm/gemm_parts.h"

#include <utility>

#include "base/integer_math.h"
#include "host_gpu/kernels/gemm/product_frame.h"
#include "host_gpu/kernels/grid.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace vta::codegen {
namespace {

using namespace mlir;

/// Of a workgroup, which every device has.
constexpr int64_t kPartsInvocations = 64;
constexpr int64_t kWordColumns = 4;

int64_t resultCount(const Contraction& contraction) {
  return contraction.count(contraction.batch) * contraction.count(contraction.rows) *
         contraction.count(contraction.columns);
}

/// The sums of the first part in `memory`: columns are neighbours, rows and batches follow.
LinearOperand firstPart(const Contraction& contraction, Value memory) {
  LinearOperand sums{.buffer = memory,
                     .coefficients = SmallVector<int64_t>(contraction.extents.size(), 0)};
  int64_t stride = 1;
  for (const auto* loops : {&contraction.columns, &contraction.rows, &contraction.batch}) {
    for (const unsigned loop : llvm::reverse(*loops)) {
      sums.coefficients[loop] = stride;
      stride *= contraction.extents[loop];
    }
  }
  return sums;
}

/// Sums of one row next to each other.
TileLayout partsLayout(const Product& product) {
  const int64_t columns = writesParts(product.steps) ? kWordColumns : 1;
  TileLayout layout{.block_columns = columns, .columns = {}, .neighbours = columns};
  for (int64_t i = 0; i < columns; ++i) layout.columns.push_back(i);
  return layout;
}

class PartsEmitter {
 public:
  PartsEmitter(Location location, const Product& product, int64_t parts, Value memory)
      : contraction_(product.contraction),
        parts_(parts),
        sums_(firstPart(contraction_, memory)),
        layout_(partsLayout(product)),
        b_(location, location.getContext()),
        indices_(b_),
        frame_(b_, product),
        tile_(b_, contraction_, layout_) {}

  KernelIr emit() {
    frame_.createFunction({{sums_}});
    layOut();
    const SmallVector<Value> sums = addParts(frame_.firstSums(tile_));
    frame_.finish(sums, tile_);
    return std::move(frame_.kernel());
  }

 private:
  /// The grid, and the tile of this invocation. What follows is in a branch of those that have one.
  void layOut() {
    const int64_t across = ceilDiv(contraction_.count(contraction_.columns), layout_.block_columns);
    const int64_t rows = contraction_.count(contraction_.rows);
    const int64_t tiles = contraction_.count(contraction_.batch) * rows * across;
    KernelIr& kernel = frame_.kernel();
    kernel.workgroup_size = {static_cast<uint32_t>(kPartsInvocations), 1, 1};
    const Value group = layOutWorkgroups(b_, kernel, ceilDiv(tiles, kPartsInvocations));
    const Value number = indices_.add(indices_.multiply(group, kPartsInvocations),
                                      b_.create<gpu::ThreadIdOp>(gpu::Dimension::x));
    auto inside = b_.create<scf::IfOp>(indices_.isBelow(number, tiles), /*withElseRegion=*/false);
    b_.setInsertionPoint(inside.thenBlock()->getTerminator());
    const Value row = indices_.quotient(number, across);
    tile_.place(indices_.quotient(row, rows), indices_.remainder(row, rows),
                indices_.multiply(indices_.remainder(number, across), layout_.block_columns));
  }

  /// `first` with the sums of all parts, one part after the other.
  SmallVector<Value> addParts(const SmallVector<Value>& first) {
    auto loop = b_.create<scf::ForOp>(indices_.number(0), indices_.number(parts_),
                                      indices_.number(1), first);
    const OpBuilder::InsertionGuard restores(b_);
    b_.setInsertionPointToStart(loop.getBody());
    GemmTile::Places places = tile_.placesInRow(sums_, tile_.rowNumber(indices_.number(0)));
    places.base = indices_.add(
        places.base, indices_.multiply(loop.getInductionVar(), resultCount(contraction_)));
    SmallVector<Value> sums;
    for (const auto [column, before] : llvm::enumerate(loop.getRegionIterArgs())) {
      const Value part =
          loadInside(b_, frame_.argument(sums_), tile_.placeOf(places, column), /*known=*/0,
                     tile_.isColumnInside(column), [](Value element) { return element; });
      sums.push_back(contraction_.sum.isF32() ? b_.create<arith::AddFOp>(before, part).getResult()
                                              : b_.create<arith::AddIOp>(before, part).getResult());
    }
    b_.create<scf::YieldOp>(sums);
    return SmallVector<Value>(loop.getResults());
  }

  const Contraction& contraction_;
  const int64_t parts_;
  const LinearOperand sums_;
  const TileLayout layout_;
  ImplicitLocOpBuilder b_;
  Indices indices_;
  ProductFrame frame_;
  GemmTile tile_;
};

}  // namespace

OwningOpRef<memref::AllocOp> createPartsMemory(Location location, const Product& product,
                                               int64_t parts) {
  const auto type =
      MemRefType::get({parts * resultCount(product.contraction)}, product.contraction.sum);
  return OpBuilder(location.getContext()).create<memref::AllocOp>(location, type);
}

Product productOfParts(const Product& product, int64_t parts, Value memory) {
  Product made{.contraction = product.contraction};
  Contraction& contraction = made.contraction;
  contraction.out = firstPart(contraction, memory);
  const auto loop = static_cast<unsigned>(contraction.extents.size());
  contraction.extents.push_back(parts);
  contraction.batch.insert(contraction.batch.begin(), loop);
  contraction.left.coefficients.push_back(0);
  contraction.right.coefficients.push_back(0);
  contraction.out.coefficients.push_back(resultCount(product.contraction));
  return made;
}

KernelIr buildPartsKernel(Location location, const Product& product, int64_t parts, Value memory) {
  return PartsEmitter(location, product, parts, memory).emit();
}

}  // namespace vta::codegen
