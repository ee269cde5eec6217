// gpu-expand-halves: conversions of f16 and bf16 by integer arithmetic.
#include "compiler/codegen/arithmetic/half_floats.h"
#include "host_gpu/legalise/passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace vta::codegen {

#define GEN_PASS_DEF_GPUEXPANDHALVESPASS
#include "host_gpu/legalise/passes.h.inc"

namespace {

using namespace mlir;
using compiler::narrowFloat;
using compiler::widenFloat;

bool isHalfType(Type type) { return type.isF16() || type.isBF16(); }

class GpuExpandHalvesPass : public impl::GpuExpandHalvesPassBase<GpuExpandHalvesPass> {
 public:
  void runOnOperation() override {
    getOperation().walk([](Operation* op) {
      ImplicitLocOpBuilder b(op->getLoc(), op);
      Value made;
      if (auto widen = dyn_cast<arith::ExtFOp>(op)) {
        if (isHalfType(widen.getIn().getType()) && widen.getType().isF32()) {
          made = widenFloat(b, widen.getIn());
        }
      } else if (auto narrow = dyn_cast<arith::TruncFOp>(op)) {
        if (narrow.getIn().getType().isF32() && isHalfType(narrow.getType())) {
          made = narrowFloat(b, narrow.getIn(), narrow.getType());
        }
      }
      if (auto select = dyn_cast<arith::SelectOp>(op); select && isHalfType(select.getType())) {
        const auto bits_of = [&](Value half) {
          return b.create<arith::BitcastOp>(b.getI16Type(), half).getResult();
        };
        const Value bits = b.create<arith::SelectOp>(
            select.getCondition(), bits_of(select.getTrueValue()), bits_of(select.getFalseValue()));
        made = b.create<arith::BitcastOp>(select.getType(), bits);
      }
      if (!made) return;
      op->getResult(0).replaceAllUsesWith(made);
      op->erase();
    });
  }
};

}  // namespace
}  // namespace vta::codegen
