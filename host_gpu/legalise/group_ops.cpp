// gpu-group-ops: neighbouring ops that one kernel computes.
#include "host_gpu/kernels/group_buffers.h"
#include "host_gpu/kernels/product.h"
#include "host_gpu/legalise/passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Transforms/RegionUtils.h"

namespace vta::codegen {

#define GEN_PASS_DEF_GPUGROUPOPSPASS
#include "host_gpu/legalise/passes.h.inc"

namespace {

using namespace mlir;

/// Every GPU proper binds so many buffers.
constexpr size_t kMostBuffers = 8;

/// What an op reads of memory.
struct Read {
  Value buffer;
  bool is_pointwise = false;
};

SmallVector<Read> readsOf(linalg::LinalgOp op) {
  SmallVector<Read> reads;
  for (OpOperand& operand : op->getOpOperands()) {
    if (!isa<MemRefType>(operand.get().getType()) || op.isDpsInit(&operand)) continue;
    if (!op.payloadUsesValueFromOperand(&operand)) continue;
    reads.push_back({operand.get(), isPointwise(operand)});
  }
  SetVector<Value> captured;
  getUsedValuesDefinedAbove(op->getRegions(), captured);
  for (const Value value : captured) {
    if (isa<MemRefType>(value.getType())) reads.push_back({value, false});
  }
  return reads;
}

/// An op that may be a part of a group: each invocation computes one element of its one result.
bool isGroupable(linalg::LinalgOp op) {
  if (op.getNumDpsInits() != 1 || !isPointwise(*op.getDpsInitOperand(0))) return false;
  const Value result = op.getDpsInits().front();
  return llvm::none_of(readsOf(op), [&](const Read& read) {
    return baseOf(read.buffer) == baseOf(result) && (read.buffer != result || !read.is_pointwise);
  });
}

class OpGrouper {
 public:
  void add(linalg::LinalgOp op) {
    if (!joins(op)) {
      close();
      if (!isGroupable(op)) return;
      extents_ = resultExtents(op);
    }
    group_.push_back(op);
    if (matchBlocks(op)) product_ = op;
  }

  /// Gives the group a region of its own, with the memory that nothing else uses.
  void close() {
    if (group_.size() > 1) moveToRegion();
    group_.clear();
    product_ = {};
  }

 private:
  bool joins(linalg::LinalgOp op) {
    if (group_.empty() || !isGroupable(op) || resultExtents(op) != extents_) return false;
    if (!isConnected(op) || hasConflict(op)) return false;
    if (matchBlocks(op)) return group_.size() == 1 && initialSums(group_.front(), op);
    if (product_) return matchEpilogue(op, product_) && fits(op);
    // One loop nest of an invocation is as long as those who place ops expect it.
    const bool has_sums = llvm::any_of(
        group_, [](linalg::LinalgOp member) { return member.getNumReductionLoops() > 0; });
    return !(has_sums && op.getNumReductionLoops() > 0) && fits(op);
  }

  bool fits(linalg::LinalgOp op) const {
    OpGroup longer = group_;
    longer.push_back(op);
    const FailureOr<GroupBuffers> used = collectBuffers(longer);
    return succeeded(used) && used->buffers.size() <= kMostBuffers;
  }

  bool isWritten(Value buffer) const {
    return llvm::any_of(
        group_, [&](linalg::LinalgOp member) { return member.getDpsInits().front() == buffer; });
  }

  /// Whether it goes on with what the group has computed.
  bool isConnected(linalg::LinalgOp op) const {
    return isWritten(op.getDpsInits().front()) ||
           llvm::any_of(readsOf(op), [&](const Read& read) { return isWritten(read.buffer); });
  }

  /// Whether another invocation might read what this one writes, or the other way round.
  bool hasConflict(linalg::LinalgOp op) const {
    const Value result = op.getDpsInits().front();
    for (linalg::LinalgOp member : group_) {
      const Value written = member.getDpsInits().front();
      if (baseOf(written) == baseOf(result) && written != result) return true;
      for (const Read& read : readsOf(op)) {
        if (areApart(read, written)) return true;
      }
      for (const Read& read : readsOf(member)) {
        if (areApart(read, result)) return true;
      }
    }
    return false;
  }

  /// Whether the same memory is read elsewhere than at the element that is written.
  static bool areApart(const Read& read, Value written) {
    return baseOf(read.buffer) == baseOf(written) && (read.buffer != written || !read.is_pointwise);
  }

  void moveToRegion() {
    linalg::LinalgOp last = group_.back();
    OpBuilder b(last);
    auto region = b.create<scf::ExecuteRegionOp>(last.getLoc(), TypeRange());
    Block* block = b.createBlock(&region.getRegion());
    Operation* end = b.create<scf::YieldOp>(last.getLoc());
    SetVector<Operation*> allocs;
    for (linalg::LinalgOp member : group_) {
      member->moveBefore(end);
      Operation* producer = member.getDpsInits().front().getDefiningOp();
      if (isa_and_nonnull<memref::AllocOp>(producer)) allocs.insert(producer);
    }
    const auto is_inside = [&](Operation* user) { return user->getBlock() == block; };
    for (Operation* alloc : allocs) {
      if (llvm::all_of(alloc->getUsers(), is_inside)) alloc->moveBefore(block, block->begin());
    }
  }

  OpGroup group_;
  linalg::LinalgOp product_;  // in blocks; null: none
  SmallVector<int64_t> extents_;
};

class GpuGroupOpsPass : public impl::GpuGroupOpsPassBase<GpuGroupOpsPass> {
 public:
  void runOnOperation() override {
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      if (function.isExternal()) continue;
      OpGrouper grouper;
      for (Operation& op : llvm::make_early_inc_range(function.front())) {
        if (auto linalg_op = dyn_cast<linalg::LinalgOp>(op)) {
          grouper.add(linalg_op);
        } else if (!isMemoryEffectFree(&op) && !isa<memref::AllocOp>(op)) {
          grouper.close();
        }
      }
      grouper.close();
    }
  }
};

}  // namespace
}  // namespace vta::codegen
