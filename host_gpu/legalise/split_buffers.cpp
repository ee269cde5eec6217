// gpu-split-buffers: what a device cannot bind at once becomes several arguments.
#include <algorithm>

#include "base/integer_math.h"
#include "host_gpu/kernels/buffer_ranges.h"
#include "host_gpu/legalise/passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/Pass/Pass.h"

namespace vta::codegen {

#define GEN_PASS_DEF_GPUSPLITBUFFERSPASS
#include "host_gpu/legalise/passes.h.inc"

namespace {

using namespace mlir;

/// Replaces one argument of a function, a row of words, by one for each of its ranges.
class ArgumentSplitter {
 public:
  ArgumentSplitter(func::FuncOp function, unsigned number, int64_t range_words, int64_t first)
      : function_(function), number_(number), range_words_(range_words), first_(first) {}

  LogicalResult split() {
    whole_ = function_.getArgument(number_);
    const auto type = cast<MemRefType>(whole_.getType());
    const int64_t count = ceilDiv(type.getNumElements(), range_words_) - first_;
    for (int64_t i = 0; i < count; ++i) {
      const int64_t rest_words = type.getNumElements() - (first_ + i) * range_words_;
      const auto range =
          MemRefType::get({std::min(range_words_, rest_words)}, type.getElementType());
      const unsigned behind = number_ + 1 + static_cast<unsigned>(i);
      function_.insertArgument(behind, range, {}, function_.getLoc());
      ranges_.push_back(function_.getArgument(behind));
    }
    for (Operation* user : llvm::make_early_inc_range(whole_.getUsers())) {
      if (failed(replace(user))) return failure();
    }
    function_.eraseArgument(number_);
    return success();
  }

 private:
  LogicalResult replace(Operation* user) {
    Value place;
    if (auto load = dyn_cast<memref::LoadOp>(user)) {
      place = load.getIndices().front();
    } else if (auto store = dyn_cast<memref::StoreOp>(user)) {
      place = store.getIndices().front();
    } else if (auto atomic = dyn_cast<memref::AtomicRMWOp>(user)) {
      place = atomic.getIndices().front();
    } else {
      return user->emitError(
          "a buffer of several ranges is used by something else than a load, a "
          "store or an atomic operation");
    }
    OpBuilder b(user);
    user->replaceAllUsesWith(choose(b, user, place, 0, static_cast<int64_t>(ranges_.size())));
    user->erase();
    return success();
  }

  /// Does `access` to one of the ranges from `begin` to `end`: the one with the word `place`. Each
  /// comparison leaves out half of the ranges. Returns the results of the access.
  SmallVector<Value> choose(OpBuilder& b, Operation* access, Value place, int64_t begin,
                            int64_t end) const {
    if (const auto known = getConstantIntValue(place)) {
      begin = std::clamp(*known / range_words_ - first_, begin, end - 1);
      end = begin + 1;
    }
    if (end - begin == 1) return accessTo(b, access, place, begin);
    const int64_t middle = (begin + end) / 2;
    const Location location = access->getLoc();
    const Value limit =
        b.create<arith::ConstantIndexOp>(location, (first_ + middle) * range_words_);
    const Value is_below =
        b.create<arith::CmpIOp>(location, arith::CmpIPredicate::ult, place, limit);
    const auto yield = [&](int64_t from, int64_t to) {
      return [this, access, place, from, to](OpBuilder& inner, Location at) {
        inner.create<scf::YieldOp>(at, choose(inner, access, place, from, to));
      };
    };
    return b.create<scf::IfOp>(location, is_below, yield(begin, middle), yield(middle, end))
        .getResults();
  }

  SmallVector<Value> accessTo(OpBuilder& b, Operation* access, Value place, int64_t range) const {
    const int64_t first_word = (first_ + range) * range_words_;
    if (first_word > 0) {
      const Value shift = b.create<arith::ConstantIndexOp>(access->getLoc(), first_word);
      place = b.createOrFold<arith::SubIOp>(access->getLoc(), place, shift);
    }
    Operation* made = b.clone(*access);
    for (OpOperand& operand : made->getOpOperands()) {
      if (operand.get() == whole_) operand.set(ranges_[range]);
    }
    // The index is the last operand of each of these ops.
    made->setOperand(made->getNumOperands() - 1, place);
    return made->getResults();
  }

  func::FuncOp function_;
  unsigned number_;
  int64_t range_words_;
  int64_t first_;
  Value whole_;
  SmallVector<Value> ranges_;
};

class GpuSplitBuffersPass : public impl::GpuSplitBuffersPassBase<GpuSplitBuffersPass> {
 public:
  using GpuSplitBuffersPassBase::GpuSplitBuffersPassBase;

  void runOnOperation() override {
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      for (unsigned number = function.getNumArguments(); number-- > 0;) {
        if (failed(splitLarge(function, number))) return signalPassFailure();
      }
    }
  }

 private:
  static constexpr int64_t kWordBytes = 4;

  LogicalResult splitLarge(func::FuncOp function, unsigned number) {
    const auto type = dyn_cast<MemRefType>(function.getArgument(number).getType());
    if (!type) return success();
    const int64_t most_bytes = range_bytes, range_words = most_bytes / kWordBytes;
    const auto first = function.getArgAttrOfType<IntegerAttr>(number, kFirstRangeAttr);
    if (!first && type.getNumElements() <= range_words) return success();
    if (type.getRank() != 1 || type.getElementTypeBitWidth() != kWordBytes * 8) {
      return function.emitError() << "a " << type << ", which is more than " << most_bytes
                                  << " bytes, is no row of words";
    }
    return ArgumentSplitter(function, number, range_words, first ? first.getInt() : 0).split();
  }
};

}  // namespace
}  // namespace vta::codegen
