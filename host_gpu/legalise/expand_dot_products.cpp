// gpu-expand-dot-products: products of four bytes as products of numbers.
#include "host_gpu/legalise/passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SPIRV/IR/SPIRVOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/Pass/Pass.h"

namespace vta::codegen {

#define GEN_PASS_DEF_GPUEXPANDDOTPRODUCTSPASS
#include "host_gpu/legalise/passes.h.inc"

namespace {

using namespace mlir;

/// The signed byte `number` of `word`. Those of a word that several products use are equal ops.
Value byteOf(ImplicitLocOpBuilder& b, Value word, int64_t number) {
  constexpr int64_t kTop = 24;  // the place of the highest byte
  const auto place = [&](int64_t bits) { return b.create<arith::ConstantIntOp>(bits, 32); };
  if (number < 3) word = b.create<arith::ShLIOp>(word, place(kTop - 8 * number));
  return b.create<arith::ShRSIOp>(word, place(kTop));
}

class GpuExpandDotProductsPass
    : public impl::GpuExpandDotProductsPassBase<GpuExpandDotProductsPass> {
 public:
  void runOnOperation() override {
    getOperation().walk([](spirv::SDotOp op) {
      ImplicitLocOpBuilder b(op.getLoc(), op);
      Value sum;
      for (int64_t i = 0; i < 4; ++i) {
        const Value product =
            b.create<arith::MulIOp>(byteOf(b, op.getVector1(), i), byteOf(b, op.getVector2(), i));
        sum = sum ? b.create<arith::AddIOp>(sum, product).getResult() : product;
      }
      op.replaceAllUsesWith(sum);
      op.erase();
    });
  }
};

}  // namespace
}  // namespace vta::codegen
