// host-plan-buffers: one allocation a call. Buffers whose lives do not overlap share memory.
#include <algorithm>

#include "compiler/codegen/passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/Transforms/BufferViewFlowAnalysis.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace vta::codegen {

#define GEN_PASS_DEF_HOSTPLANBUFFERSPASS
#include "compiler/codegen/passes.h.inc"

namespace {

using namespace mlir;

constexpr int64_t kAlignmentBytes = 64;

struct Buffer {
  memref::AllocOp alloc;
  int64_t size_bytes = 0;
  unsigned first = 0, last = 0;  // ops of the function's block between which it lives
  int64_t offset_bytes = -1;
};

int64_t sizeBytes(MemRefType type) {
  int64_t bits = std::max<int64_t>(type.getElementTypeBitWidth(), 8);
  return static_cast<int64_t>(
      llvm::alignTo(std::max<int64_t>(type.getNumElements() * bits / 8, 1), kAlignmentBytes));
}

/// The function's own allocations with their lives: from the first to the last op that touches the
/// buffer or a view of it.
SmallVector<Buffer> collectBuffers(func::FuncOp function) {
  Block& body = function.getBody().front();
  llvm::DenseMap<Operation*, unsigned> positions;
  for (auto [i, op] : llvm::enumerate(body)) positions[&op] = i;
  BufferViewFlowAnalysis views(function);
  SmallVector<Buffer> buffers;
  for (auto alloc : body.getOps<memref::AllocOp>()) {
    if (!alloc.getType().hasStaticShape() || !alloc.getType().getLayout().isIdentity()) continue;
    Buffer buffer{alloc, sizeBytes(alloc.getType()), ~0u, 0};
    for (Value alias : views.resolve(alloc)) {
      for (Operation* user : alias.getUsers()) {
        unsigned position = positions[body.findAncestorOpInBlock(*user)];
        buffer.first = std::min(buffer.first, position);
        buffer.last = std::max(buffer.last, position);
      }
    }
    buffers.push_back(buffer);
  }
  return buffers;
}

/// Largest first, each at the lowest offset where no buffer alive at the same time is. Returns the
/// size of the whole.
int64_t assignOffsets(SmallVectorImpl<Buffer>& buffers) {
  SmallVector<Buffer*> order, placed;
  for (Buffer& buffer : buffers) order.push_back(&buffer);
  std::stable_sort(order.begin(), order.end(),
                   [](Buffer* a, Buffer* b) { return a->size_bytes > b->size_bytes; });
  int64_t total = 0;
  for (Buffer* buffer : order) {
    int64_t offset = 0;
    for (Buffer* other : placed) {  // sorted by offset
      bool alive_together = buffer->first <= other->last && other->first <= buffer->last;
      if (!alive_together) continue;
      if (offset + buffer->size_bytes <= other->offset_bytes) break;
      offset = std::max(offset, other->offset_bytes + other->size_bytes);
    }
    buffer->offset_bytes = offset;
    total = std::max(total, offset + buffer->size_bytes);
    placed.insert(
        std::upper_bound(placed.begin(), placed.end(), buffer,
                         [](Buffer* a, Buffer* b) { return a->offset_bytes < b->offset_bytes; }),
        buffer);
  }
  return total;
}

/// Allocations inside of loops or with a layout are freed where their block ends.
void freeOthers(func::FuncOp function) {
  function.walk([](memref::AllocOp alloc) {
    OpBuilder builder(alloc->getBlock()->getTerminator());
    builder.create<memref::DeallocOp>(alloc.getLoc(), alloc);
  });
}

void planBuffers(func::FuncOp function) {
  SmallVector<Buffer> buffers = collectBuffers(function);
  if (!buffers.empty()) {
    int64_t total = assignOffsets(buffers);
    OpBuilder builder = OpBuilder::atBlockBegin(&function.getBody().front());
    Location loc = function.getLoc();
    Value arena =
        builder.create<memref::AllocOp>(loc, MemRefType::get({total}, builder.getI8Type()),
                                        builder.getI64IntegerAttr(kAlignmentBytes));
    for (Buffer& buffer : buffers) {
      Value offset = builder.create<arith::ConstantIndexOp>(loc, buffer.offset_bytes);
      Value view =
          builder.create<memref::ViewOp>(loc, buffer.alloc.getType(), arena, offset, ValueRange{});
      buffer.alloc.replaceAllUsesWith(view);
    }
    // Only now: the builder's position may be one of them.
    for (Buffer& buffer : buffers) buffer.alloc.erase();
  }
  freeOthers(function);
}

class PlanBuffersPass : public impl::HostPlanBuffersPassBase<PlanBuffersPass> {
 public:
  void runOnOperation() override {
    for (auto function : getOperation().getOps<func::FuncOp>()) planBuffers(function);
  }
};

}  // namespace
}  // namespace vta::codegen
