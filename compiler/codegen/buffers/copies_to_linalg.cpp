// host-copies-to-linalg: copies of buffers become linalg ops.
#include "compiler/codegen/passes.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace vta::codegen {

#define GEN_PASS_DEF_HOSTCOPIESTOLINALGPASS
#include "compiler/codegen/passes.h.inc"

namespace {

using namespace mlir;

class CopiesToLinalgPass : public impl::HostCopiesToLinalgPassBase<CopiesToLinalgPass> {
 public:
  void runOnOperation() override {
    SmallVector<memref::CopyOp> copies;
    getOperation().walk([&](memref::CopyOp op) { copies.push_back(op); });
    for (memref::CopyOp op : copies) {
      OpBuilder builder(op);
      if (op.getSource() != op.getTarget()) {
        linalg::makeMemRefCopyOp(builder, op.getLoc(), op.getSource(), op.getTarget());
      }
      op.erase();
    }
  }
};

}  // namespace
}  // namespace vta::codegen
