// host-cpu-split-loops: large parallel loop nests are split among threads.
#include <algorithm>

#include "compiler/codegen/passes.h"
#include "host_cpu/backend/outline_loop.h"
#include "host_cpu/backend/passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/Pass/Pass.h"

namespace vta::codegen {

#define GEN_PASS_DEF_CPUSPLITLOOPSPASS
#include "host_cpu/backend/passes.h.inc"

namespace {

using namespace mlir;

// Waking another thread costs some microseconds, in which one does about this many operations.
constexpr int64_t kMinParallelOps = 100000;
// Enough pieces that threads end at about the same time.
constexpr int64_t kEnoughIterations = 32;
constexpr int64_t kInnermostBlock = 1024;

int64_t tripCount(Value lower, Value upper, Value step) {
  std::optional<int64_t> l = getConstantIntValue(lower), u = getConstantIntValue(upper),
                         s = getConstantIntValue(step);
  if (!l || !u || !s || *s <= 0) return 1;
  return std::max<int64_t>((*u - *l + *s - 1) / *s, 0);
}

/// A rough count of scalar operations.
int64_t countOps(Region& region);

int64_t countOps(Operation& op) {
  if (auto loop = dyn_cast<scf::ForOp>(op)) {
    return countOps(loop.getRegion()) *
           tripCount(loop.getLowerBound(), loop.getUpperBound(), loop.getStep());
  }
  if (auto loop = dyn_cast<scf::ParallelOp>(op)) {
    int64_t ops = countOps(loop.getRegion());
    for (auto [lower, upper, step] :
         llvm::zip(loop.getLowerBound(), loop.getUpperBound(), loop.getStep())) {
      ops *= tripCount(lower, upper, step);
    }
    return ops;
  }
  int64_t ops = isa<arith::ConstantOp>(op) ? 0 : 1;
  for (Type type : op.getResultTypes()) {
    if (auto vector = dyn_cast<VectorType>(type)) ops *= vector.getNumElements();
  }
  for (Region& nested : op.getRegions()) ops += countOps(nested);
  return ops;
}

int64_t countOps(Region& region) {
  int64_t ops = 0;
  for (Operation& op : region.getOps()) ops += countOps(op);
  return ops;
}

/// Moves the body of `loop` to the builder's position with `values` for its induction variables.
void moveBody(ImplicitLocOpBuilder& b, scf::ParallelOp loop, ValueRange values) {
  Block* block = b.getInsertionBlock();
  loop.getBody()->getTerminator()->erase();
  block->getOperations().splice(b.getInsertionPoint(), loop.getBody()->getOperations());
  for (auto [variable, value] : llvm::zip(loop.getInductionVars(), values)) {
    variable.replaceAllUsesWith(value);
  }
}

/// Nested scf.for over the dimensions of `loop` from `first` on; the body goes to the innermost.
/// `values` holds the outer induction variables.
void buildSequentialNest(ImplicitLocOpBuilder& b, scf::ParallelOp loop, unsigned first,
                         SmallVector<Value> values) {
  for (unsigned d = first; d < loop.getNumLoops(); ++d) {
    auto nested =
        b.create<scf::ForOp>(loop.getLowerBound()[d], loop.getUpperBound()[d], loop.getStep()[d]);
    b.setInsertionPointToStart(nested.getBody());
    values.push_back(nested.getInductionVar());
  }
  moveBody(b, loop, values);
}

void makeSequential(scf::ParallelOp loop) {
  ImplicitLocOpBuilder b(loop.getLoc(), loop);
  buildSequentialNest(b, loop, 0, {});
  loop.erase();
}

/// How the iterations of a loop nest are numbered: the leading dimensions together, the last of
/// them perhaps in blocks.
struct Split {
  unsigned dimensions = 0;
  int64_t block = 1;  // iterations of the last split dimension in one number
  SmallVector<int64_t> extents;
  int64_t count = 1;
};

Split chooseSplit(scf::ParallelOp loop) {
  Split split;
  for (unsigned d = 0; d < loop.getNumLoops() && split.count < kEnoughIterations; ++d) {
    int64_t extent = tripCount(loop.getLowerBound()[d], loop.getUpperBound()[d], loop.getStep()[d]);
    bool innermost = d + 1 == loop.getNumLoops();
    if (innermost && extent > kInnermostBlock) {
      split.block = kInnermostBlock;
      extent = (extent + kInnermostBlock - 1) / kInnermostBlock;
    }
    split.extents.push_back(extent);
    split.count *= extent;
    ++split.dimensions;
  }
  return split;
}

/// The body of the outlined function: for each number in [begin, end) the iterations it stands for.
void buildSplitNest(ImplicitLocOpBuilder& b, scf::ParallelOp loop, const Split& split, Value begin,
                    Value end) {
  auto index = [&](int64_t value) -> Value { return b.create<arith::ConstantIndexOp>(value); };
  auto outer = b.create<scf::ForOp>(begin, end, index(1));
  b.setInsertionPointToStart(outer.getBody());
  SmallVector<Value> values(split.dimensions);
  Value rest = outer.getInductionVar();
  for (unsigned d = split.dimensions; d-- > 0;) {
    Value digit = rest;
    if (d > 0) {
      digit = b.create<arith::RemUIOp>(rest, index(split.extents[d]));
      rest = b.create<arith::DivUIOp>(rest, index(split.extents[d]));
    }
    values[d] = digit;
  }
  for (unsigned d = 0; d < split.dimensions; ++d) {
    bool blocked = split.block > 1 && d + 1 == split.dimensions;
    if (blocked) {
      // All of a block's iterations run innermost.
      Value first = b.create<arith::MulIOp>(values[d], index(split.block));
      Value limit = b.create<arith::AddIOp>(first, index(split.block));
      Value count =
          index(tripCount(loop.getLowerBound()[d], loop.getUpperBound()[d], loop.getStep()[d]));
      auto inner = b.create<scf::ForOp>(first, b.create<arith::MinSIOp>(limit, count), index(1));
      b.setInsertionPointToStart(inner.getBody());
      values[d] = inner.getInductionVar();
    }
    values[d] = b.create<arith::AddIOp>(b.create<arith::MulIOp>(values[d], loop.getStep()[d]),
                                        loop.getLowerBound()[d]);
  }
  buildSequentialNest(b, loop, split.dimensions, values);
}

bool allocates(scf::ParallelOp loop) {
  return loop.walk([](memref::AllocOp) { return WalkResult::interrupt(); }).wasInterrupted();
}

void outline(scf::ParallelOp loop, unsigned number) {
  auto parent = loop->getParentOfType<func::FuncOp>();
  ImplicitLocOpBuilder b(loop.getLoc(), loop);
  Split split = chooseSplit(loop);
  std::string name = (parent.getName() + ".loop" + Twine(number)).str();
  // What allocates reports through the context, its first argument, that there is no memory.
  SmallVector<Value> leading;
  if (allocates(loop)) leading = {parent.getArgument(0)};
  OutlinedLoop outlined = copyToFunction(loop, name, leading, {b.getIndexType(), b.getIndexType()});
  auto copy = cast<scf::ParallelOp>(outlined.loop);
  b.setInsertionPoint(copy);
  ValueRange range = outlined.function.getArguments().take_back(2);
  buildSplitNest(b, copy, split, range[0], range[1]);
  copy.erase();
  b.setInsertionPoint(loop);

  SmallVector<Value> operands = {parent.getArgument(0)};
  llvm::append_range(operands, outlined.captured);
  operands.push_back(b.create<arith::ConstantIndexOp>(split.count));
  SmallVector<Type> types = llvm::to_vector(ValueRange(operands).getTypes());
  b.setInsertionPoint(parent);
  auto dispatch = b.create<func::FuncOp>(name + kDispatchSuffix, b.getFunctionType(types, {}));
  dispatch.setPrivate();
  b.setInsertionPoint(loop);
  b.create<func::CallOp>(dispatch, operands);
  loop.erase();
}

class SplitLoopsPass : public impl::CpuSplitLoopsPassBase<SplitLoopsPass> {
 public:
  using CpuSplitLoopsPassBase::CpuSplitLoopsPassBase;

  void runOnOperation() override {
    SmallVector<scf::ParallelOp> outermost, nested;
    getOperation().walk<WalkOrder::PreOrder>([&](scf::ParallelOp loop) {
      bool is_outermost = !loop->getParentOfType<scf::ParallelOp>();
      (is_outermost ? outermost : nested).push_back(loop);
    });
    for (scf::ParallelOp loop : llvm::reverse(nested)) makeSequential(loop);
    for (auto [i, loop] : llvm::enumerate(outermost)) {
      bool worthwhile =
          parallel && chooseSplit(loop).count > 1 && countOps(*loop) >= kMinParallelOps;
      if (worthwhile && loop.getNumReductions() == 0) {
        outline(loop, i);
      } else {
        makeSequential(loop);
      }
    }
  }
};

}  // namespace
}  // namespace vta::codegen
