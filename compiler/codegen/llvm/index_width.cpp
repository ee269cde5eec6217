// host-index-width: the width of an index in the module's data layout.
#include "compiler/codegen/passes.h"
#include "mlir/Dialect/DLTI/DLTI.h"
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
    Builder b(&getContext());
    const auto entry = DataLayoutEntryAttr::get(b.getIndexType(), b.getI64IntegerAttr(bits));
    getOperation()->setAttr(DLTIDialect::kDataLayoutAttrName,
                            DataLayoutSpecAttr::get(&getContext(), {entry}));
  }
};

}  // namespace
}  // namespace vta::codegen
