// gpu-group-ops: neighbouring ops that one kernel computes.
#include <optional>
#include <utility>

#include "host_gpu/kernels/buffer_ranges.h"
#include "host_gpu/kernels/gemm/product.h"
#include "host_gpu/kernels/group_buffers.h"
#include "host_gpu/kernels/rows/row_group.h"
#include "host_gpu/legalise/passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Transforms/RegionUtils.h"

namespace vta::codegen {

#define GEN_PASS_DEF_GPUGROUPOPSPASS
#include "host_gpu/legalise/passes.h.inc"

namespace {

using namespace mlir;

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
  /// A device binds `range_bytes` at once.
  explicit OpGrouper(int64_t range_bytes) : range_bytes_(range_bytes) {}

  void add(linalg::LinalgOp op) {
    if (has_rows_) return addToRows(op);
    if (beginsRows(op)) {
      has_rows_ = true;
    } else if (!joins(op)) {
      close();
      if (!isGroupable(op)) return;
      extents_ = resultExtents(op);
      has_rows_ = beginsRows(op);
    }
    group_.push_back(op);
    if (matchBlocks(op)) product_ = op;
  }

  /// Gives the group a region of its own, with the memory that nothing else uses.
  void close() {
    if (group_.size() > 1) moveToRegion();
    group_.clear();
    product_ = {};
    has_rows_ = false;
    if (!waiting_) return;
    const linalg::LinalgOp first = std::exchange(waiting_, {});
    add(first);
    close();
  }

 private:
  /// Whether `op` is a sum of rows that invocations share, and the group is what it begins with.
  bool beginsRows(linalg::LinalgOp op) const {
    if (op.getNumReductionLoops() == 0 || matchBlocks(op) || !isGroupable(op)) return false;
    return isOneKernelOfRows({op});
  }

  /// Whether the group and `more` go through rows, and fit into one kernel.
  bool isOneKernelOfRows(ArrayRef<linalg::LinalgOp> more) const {
    OpGroup longer = group_;
    longer.append(more.begin(), more.end());
    const std::optional<RowGroup> rows = matchRows(longer);
    return rows && scheduleOfRows(*rows) && areFew(longer);
  }

  static bool isOneKernelOfRowsAlone(linalg::LinalgOp op) {
    const std::optional<RowGroup> rows = matchRows({op});
    return rows && scheduleOfRows(*rows);
  }

  /// Whether `op` reads what the group has written, or a view of it.
  bool readsGroup(linalg::LinalgOp op) const {
    return llvm::any_of(readsOf(op), [&](const Read& read) {
      return llvm::any_of(group_, [&](linalg::LinalgOp member) {
        return baseOf(member.getDpsInits().front()) == baseOf(read.buffer);
      });
    });
  }

  /// What a sum begins with waits for it: it may begin a group of its own.
  void addToRows(linalg::LinalgOp op) {
    SmallVector<linalg::LinalgOp> more = {op};
    if (waiting_) more.insert(more.begin(), waiting_);
    if (!waiting_ && isa<linalg::FillOp>(op.getOperation())) {
      waiting_ = op;
    } else if (!matchBlocks(op) && readsGroup(op) && isOneKernelOfRows(more)) {
      waiting_ = {};
      llvm::append_range(group_, more);
    } else {
      const linalg::LinalgOp first = std::exchange(waiting_, {});
      close();
      if (first) add(first);
      add(op);
    }
  }

  bool joins(linalg::LinalgOp op) {
    if (group_.empty() || !isGroupable(op) || resultExtents(op) != extents_) return false;
    if (!isConnected(op) || hasConflict(op)) return false;
    if (matchBlocks(op)) return group_.size() == 1 && initialSums(group_.front(), op);
    if (op.getNumReductionLoops() > 0 && isOneKernelOfRowsAlone(op)) return false;
    if (product_) return matchEpilogue(op, product_) && fits(op);
    // One loop nest of an invocation is as long as those who place ops expect it.
    const bool has_sums = llvm::any_of(
        group_, [](linalg::LinalgOp member) { return member.getNumReductionLoops() > 0; });
    return !(has_sums && op.getNumReductionLoops() > 0) && fits(op);
  }

  bool fits(linalg::LinalgOp op) const {
    OpGroup longer = group_;
    longer.push_back(op);
    return areFew(longer);
  }

  /// Whether a kernel of `group` has buffers that every GPU can bind.
  bool areFew(const OpGroup& group) const {
    const FailureOr<GroupBuffers> used = collectBuffers(group);
    if (failed(used)) return false;
    int64_t ranges = 0;
    for (const Value buffer : used->buffers) {
      ranges += rangesOf(cast<MemRefType>(buffer.getType()), range_bytes_).count;
    }
    return ranges <= kMostRanges;
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
      Operation* producer = baseOf(member.getDpsInits().front()).getDefiningOp();
      if (isa_and_nonnull<memref::AllocOp>(producer)) allocs.insert(producer);
    }
    for (Operation* alloc : allocs) {
      SetVector<Operation*> memory;  // with the views of it
      memory.insert(alloc);
      if (!isUsedOnlyIn(block, alloc, memory)) continue;
      for (Operation* op : llvm::reverse(memory.getArrayRef())) {
        op->moveBefore(block, block->begin());
      }
    }
  }

  /// Whether nothing but ops of `block` and views use what `op` makes; adds the views to `memory`.
  static bool isUsedOnlyIn(Block* block, Operation* op, SetVector<Operation*>& memory) {
    return llvm::all_of(op->getUsers(), [&](Operation* user) {
      if (user->getBlock() == block) return true;
      if (!isa<ViewLikeOpInterface>(user) || !isMemoryEffectFree(user)) return false;
      memory.insert(user);
      return isUsedOnlyIn(block, user, memory);
    });
  }

  int64_t range_bytes_;
  OpGroup group_;
  linalg::LinalgOp product_;  // in blocks; null: none
  bool has_rows_ = false;
  linalg::LinalgOp waiting_;  // a fill behind rows; null: none
  SmallVector<int64_t> extents_;
};

class GpuGroupOpsPass : public impl::GpuGroupOpsPassBase<GpuGroupOpsPass> {
 public:
  using GpuGroupOpsPassBase::GpuGroupOpsPassBase;

  void runOnOperation() override {
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      if (function.isExternal()) continue;
      OpGrouper grouper(range_bytes);
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
