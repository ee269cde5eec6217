// host-plan-buffers: one allocation a call. Buffers whose lives do not overlap share memory.
#include <algorithm>
#include <optional>

#include "compiler/codegen/passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/Transforms/BufferViewFlowAnalysis.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"
#include "module/gpu/gpu_ranges.h"

namespace vta::codegen {

#define GEN_PASS_DEF_HOSTPLANBUFFERSPASS
#include "compiler/codegen/passes.h.inc"

namespace {

using namespace mlir;

struct Buffer {
  memref::AllocOp alloc;
  int64_t size_bytes = 0;
  unsigned first = 0, last = 0;  // ops of the function's block between which it lives
  int64_t offset_bytes = -1;
};

int64_t sizeBytes(MemRefType type, int64_t alignment_bytes) {
  int64_t bits = std::max<int64_t>(type.getElementTypeBitWidth(), 8);
  return static_cast<int64_t>(
      llvm::alignTo(std::max<int64_t>(type.getNumElements() * bits / 8, 1), alignment_bytes));
}

/// Where an op stands in the text: the numbers of itself and of the last op inside of it.
struct Numbers {
  unsigned first = 0, last = 0;
};
using NumbersOfOps = llvm::DenseMap<Operation*, Numbers>;

void numberOps(Region& region, unsigned& next, NumbersOfOps& places) {
  for (Operation& op : region.getOps()) {
    const unsigned first = next++;
    for (Region& inner : op.getRegions()) numberOps(inner, next, places);
    places[&op] = {first, next - 1};
  }
}

/// Whether the block of `alloc` never runs beside itself, so that one buffer serves all its runs.
bool runsAlone(memref::AllocOp alloc) {
  for (Operation* parent = alloc->getParentOp(); !isa<func::FuncOp>(parent);
       parent = parent->getParentOp()) {
    if (!isa<scf::ForOp, scf::WhileOp, scf::IfOp>(parent)) return false;
  }
  return true;
}

/// The op during which a buffer that `op` uses is alive. A loop of the function may become a
/// function of its own, of whose buffers no two share memory.
Operation* spanIn(Block& body, Operation* op) {
  Operation* outermost = body.findAncestorOpInBlock(*op);
  return isa<scf::ForOp>(outermost) ? outermost : op;
}

/// The allocation with its life: from the first to the last op of its block that touches the buffer
/// or a view of it. Nothing where it leaves the block, or has no fixed size.
std::optional<Buffer> bufferOf(memref::AllocOp alloc, BufferViewFlowAnalysis& views,
                               const NumbersOfOps& places, int64_t alignment_bytes) {
  if (!alloc.getType().hasStaticShape() || !alloc.getType().getLayout().isIdentity()) return {};
  if (!runsAlone(alloc)) return {};
  Buffer buffer{alloc, sizeBytes(alloc.getType(), alignment_bytes), ~0u, 0};
  Block& body = alloc->getParentOfType<func::FuncOp>().getBody().front();
  for (Value alias : views.resolve(alloc)) {
    for (Operation* user : alias.getUsers()) {
      Operation* ancestor = alloc->getBlock()->findAncestorOpInBlock(*user);
      if (!ancestor || ancestor == alloc->getBlock()->getTerminator()) return {};
      const Numbers place = places.at(spanIn(body, ancestor));
      buffer.first = std::min(buffer.first, place.first);
      buffer.last = std::max(buffer.last, place.last);
    }
  }
  return buffer;
}

SmallVector<Buffer> collectBuffers(func::FuncOp function, int64_t alignment_bytes) {
  NumbersOfOps places;
  unsigned next = 0;
  numberOps(function.getBody(), next, places);
  BufferViewFlowAnalysis views(function);
  SmallVector<Buffer> buffers;
  function.walk([&](memref::AllocOp alloc) {
    const auto buffer = bufferOf(alloc, views, places, alignment_bytes);
    if (buffer) buffers.push_back(*buffer);
  });
  return buffers;
}

/// Largest first, each at the lowest offset where no buffer alive at the same time is, and across
/// no multiple of `range_bytes`, if that is not 0. Returns the size of the whole.
int64_t assignOffsets(SmallVectorImpl<Buffer>& buffers, int64_t range_bytes) {
  SmallVector<Buffer*> order, placed;
  for (Buffer& buffer : buffers) order.push_back(&buffer);
  std::stable_sort(order.begin(), order.end(),
                   [](Buffer* a, Buffer* b) { return a->size_bytes > b->size_bytes; });
  int64_t total = 0;
  for (Buffer* buffer : order) {
    int64_t offset = 0;
    const auto place_from = [&](int64_t from) {
      if (range_bytes == 0) return from;
      return static_cast<int64_t>(placeInRanges(from, buffer->size_bytes, range_bytes));
    };
    for (Buffer* other : placed) {  // sorted by offset
      bool alive_together = buffer->first <= other->last && other->first <= buffer->last;
      if (!alive_together) continue;
      if (offset + buffer->size_bytes <= other->offset_bytes) break;
      offset = std::max(offset, place_from(other->offset_bytes + other->size_bytes));
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

/// Allocations inside of parallel loops or with a layout are freed where their block ends.
void freeOthers(func::FuncOp function) {
  function.walk([](memref::AllocOp alloc) {
    OpBuilder builder(alloc->getBlock()->getTerminator());
    builder.create<memref::DeallocOp>(alloc.getLoc(), alloc);
  });
}

void planBuffers(func::FuncOp function, const HostPlanBuffersPassOptions& options) {
  SmallVector<Buffer> buffers = collectBuffers(function, options.alignment_bytes);
  if (!buffers.empty()) {
    int64_t total = assignOffsets(buffers, /*range_bytes=*/0);
    if (options.most_bytes > 0 && total > options.most_bytes) {
      total = assignOffsets(buffers, options.range_bytes);
    }
    OpBuilder builder = OpBuilder::atBlockBegin(&function.getBody().front());
    Location loc = function.getLoc();
    Value arena =
        builder.create<memref::AllocOp>(loc, MemRefType::get({total}, builder.getI8Type()),
                                        builder.getI64IntegerAttr(options.alignment_bytes));
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
  using HostPlanBuffersPassBase::HostPlanBuffersPassBase;

  void runOnOperation() override {
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      if (!function.isExternal()) {
        planBuffers(function, {alignment_bytes, most_bytes, range_bytes});
      }
    }
  }
};

}  // namespace
}  // namespace vta::codegen
