#include "compiler/vta/common/places/interleave_map.h"

namespace vta::compiler {

mlir::AffineMap interleaveMap(const kernel::Geometry& g, mlir::MLIRContext* context) {
  const auto dim = [&](unsigned i) { return mlir::getAffineDimExpr(i, context); };
  const mlir::AffineExpr place = dim(3) * g.interleave_x + dim(5);
  const int64_t side = g.blocksPerPhase();
  mlir::AffineExpr block = g.phases == 1 ? dim(1) : place * side + dim(1);
  if (g.phases > 1 && side < g.storedBlocks()) {
    block = (dim(1).floorDiv(side) * g.phases + place) * side + dim(1) % side;
  }
  return mlir::AffineMap::get(8, 0, {dim(0), block, dim(2), dim(4), dim(6), dim(7)}, context);
}

}  // namespace vta::compiler
