// host-index-width: the width of an index in the module's data layout.
#include <algorithm>

#include "compiler/codegen/passes.h"
#include "mlir/Dialect/DLTI/DLTI.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace vta::codegen {

#define GEN_PASS_DEF_HOSTINDEXWIDTHPASS
#include "compiler/codegen/passes.h.inc"

namespace {

using namespace mlir;

class IndexWidthPass : public impl::HostIndexWidthPassBase<IndexWidthPass> {
 public:
  using HostIndexWidthPassBase::HostIndexWidthPassBase;

  void runOnOperation() override {
    if (getOperation().walk([&](memref::AllocOp op) { return checkFits(op); }).wasInterrupted()) {
      return signalPassFailure();
    }
    Builder b(&getContext());
    const auto entry = DataLayoutEntryAttr::get(b.getIndexType(), b.getI64IntegerAttr(bits));
    getOperation()->setAttr(DLTIDialect::kDataLayoutAttrName,
                            DataLayoutSpecAttr::get(&getContext(), {entry}));
  }

 private:
  WalkResult checkFits(memref::AllocOp op) {
    const MemRefType type = op.getType();
    const auto bytes = static_cast<uint64_t>(type.getNumElements()) *
                       std::max<unsigned>(type.getElementTypeBitWidth() / 8, 1);
    if (bits >= 64 || !type.hasStaticShape() || bytes < uint64_t{1} << (bits - 1)) {
      return WalkResult::advance();
    }
    op.emitError() << "needs " << bytes << " bytes of memory at once, more than the "
                   << unsigned{bits} << "-bit target can address";
    return WalkResult::interrupt();
  }
};

}  // namespace
}  // namespace vta::codegen
