#include "host_gpu/kernels/generic_kernel.h"

#include <algorithm>
#include <limits>
#include <optional>

#include "base/integer_math.h"
#include "host_gpu/kernels/contraction.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/Transforms/RegionUtils.h"

namespace vta::codegen {
namespace {

using namespace mlir;

/// Every device has workgroups of that many invocations, and starts that many of them in one
/// direction of a grid.
constexpr int64_t kInvocations = 64, kMostWorkgroups = 65535;

/// The op in a function of its own, whose arguments are the op's buffers.
class KernelCutter {
 public:
  explicit KernelCutter(linalg::LinalgOp op) : op_(op) {}

  FailureOr<KernelIr> cut() {
    SetVector<Value> used(op_->getOperands().begin(), op_->getOperands().end());
    getUsedValuesDefinedAbove(op_->getRegions(), used);
    SmallVector<Operation*> constants;
    for (const Value value : used) {
      Operation* producer = value.getDefiningOp();
      if (isa<MemRefType>(value.getType())) {
        kernel_.buffers.push_back(value);
        kernel_.accesses.push_back(accessOf(value));
      } else if (producer != nullptr && producer->hasTrait<OpTrait::ConstantLike>()) {
        constants.push_back(producer);
      } else {
        op_->emitError() << "an operand of type " << value.getType() << " is no constant";
        return failure();
      }
    }
    fill(constants);
    return std::move(kernel_);
  }

 private:
  GpuAccess accessOf(Value buffer) {
    bool is_written = false, is_read = false;
    for (OpOperand& operand : op_->getOpOperands()) {
      if (operand.get() != buffer) continue;
      const bool is_init = op_.isDpsInit(&operand);
      is_written = is_written || is_init;
      is_read = is_read || !is_init || op_.payloadUsesValueFromOperand(&operand);
    }
    // The bytes around a part of a buffer stay.
    const bool is_part = !cast<MemRefType>(buffer.getType()).getLayout().isIdentity();
    if (!is_written) return GpuAccess::kRead;
    return is_read || is_part ? GpuAccess::kReadWrite : GpuAccess::kWrite;
  }

  void fill(ArrayRef<Operation*> constants) {
    kernel_.module = ModuleOp::create(op_->getLoc());
    auto b = ImplicitLocOpBuilder::atBlockEnd(op_->getLoc(), kernel_.module->getBody());
    SmallVector<Type> types;
    for (const Value buffer : kernel_.buffers) types.push_back(buffer.getType());
    auto function = b.create<func::FuncOp>(kKernelFunction, b.getFunctionType(types, {}));
    Block* body = function.addEntryBlock();
    b.setInsertionPointToStart(body);
    IRMapping mapping;
    mapping.map(kernel_.buffers, body->getArguments());
    for (Operation* constant : constants) b.clone(*constant, mapping);
    b.clone(*op_, mapping);
    b.create<func::ReturnOp>();
  }

  linalg::LinalgOp op_;
  KernelIr kernel_;
};

/// Loops whose iterations depend on each other become the innermost ones, so that the others are
/// one parallel loop. No sum changes its order.
FailureOr<linalg::LinalgOp> withParallelLoopsFirst(IRRewriter& rewriter, linalg::LinalgOp op) {
  rewriter.setInsertionPoint(op);
  auto generic = dyn_cast<linalg::GenericOp>(op.getOperation());
  if (!generic) {
    const FailureOr<linalg::GenericOp> made = linalg::generalizeNamedOp(rewriter, op);
    if (failed(made)) return op;  // a map, whose loops are all parallel
    generic = *made;
  }
  SmallVector<unsigned> order, rest;
  for (const auto [loop, iterator] : llvm::enumerate(generic.getIteratorTypesArray())) {
    (linalg::isParallelIterator(iterator) ? order : rest).push_back(static_cast<unsigned>(loop));
  }
  if (order.empty() || rest.empty() || order.back() < rest.front()) {
    return cast<linalg::LinalgOp>(generic.getOperation());
  }
  order.append(rest);
  rewriter.setInsertionPoint(generic);
  FailureOr<linalg::GenericOp> ordered = linalg::interchangeGenericOp(rewriter, generic, order);
  if (failed(ordered)) return failure();
  return cast<linalg::LinalgOp>(ordered->getOperation());
}

/// The extents of a loop that begins at 0 with steps of 1; none if it is none of those.
std::optional<SmallVector<int64_t>> extentsOf(scf::ParallelOp loop) {
  SmallVector<int64_t> extents;
  for (const auto [lower, upper, step] :
       llvm::zip(loop.getLowerBound(), loop.getUpperBound(), loop.getStep())) {
    const std::optional<int64_t> extent = getConstantIntValue(upper);
    if (!extent || getConstantIntValue(lower) != 0 || getConstantIntValue(step) != 1) return {};
    extents.push_back(*extent);
  }
  return extents;
}

/// How many neighbouring elements an invocation computes: those of one word, if `op` writes whole
/// words.
int64_t lanesOf(linalg::LinalgOp op) {
  constexpr int64_t kWordBits = 32;
  const unsigned parallel = op.getNumParallelLoops();
  if (parallel == 0) return 1;
  int64_t lanes = 1;
  for (OpOperand& init : op.getDpsInitsMutable()) {
    const Type element = cast<MemRefType>(init.get().getType()).getElementType();
    const int64_t parts = kWordBits / std::clamp<int64_t>(element.getIntOrFloatBitWidth(), 8, 32);
    if (parts == 1) continue;
    const auto operand = linearOperand(init.get(), op.getMatchingIndexingMap(&init));
    if (!operand || operand->coefficients[parallel - 1] != 1 || operand->offset % parts != 0) {
      return 1;
    }
    if (op.getStaticLoopRanges()[parallel - 1] % parts != 0) return 1;
    for (const auto [loop, coefficient] : llvm::enumerate(operand->coefficients)) {
      if (loop != parallel - 1 && coefficient % parts != 0) return 1;
    }
    lanes = std::max(lanes, parts);
  }
  return lanes;
}

/// Runs a function's body in a grid: an invocation for each iteration of its parallel loop, or for
/// as many neighbouring ones as there are lanes; or one invocation if there is no loop.
class GridBuilder {
 public:
  GridBuilder(func::FuncOp function, int64_t lanes, KernelIr& kernel)
      : body_(function.getBody().front()),
        lanes_(lanes),
        kernel_(kernel),
        b_(function.getLoc(), &body_, body_.begin()) {}

  LogicalResult build() {
    scf::ParallelOp loop;
    for (auto found : body_.getOps<scf::ParallelOp>()) loop = found;
    SmallVector<int64_t> extents;
    if (loop) {
      const auto found = extentsOf(loop);
      if (!found) return loop.emitError("the loop's extents are not known");
      extents = *found;
      extents.back() /= lanes_;
    }
    int64_t total = 1;
    for (const int64_t extent : extents) total *= extent;
    if (total > std::numeric_limits<int32_t>::max()) {
      return emitError(b_.getLoc()) << total << " elements are more than 32 bits count";
    }
    layOut(total);
    Operation* first = &body_.front();
    const Value number = invocation();
    Value is_inside = b_.create<arith::CmpIOp>(arith::CmpIPredicate::ult, number, index(total));
    auto inside = b_.create<scf::IfOp>(is_inside, /*withElseRegion=*/false);
    Operation* yield = inside.thenBlock()->getTerminator();
    while (first != body_.getTerminator()) {
      Operation* next = first->getNextNode();
      first->moveBefore(yield);
      first = next;
    }
    if (loop) unroll(loop, number, extents);
    return success();
  }

 private:
  Value index(int64_t value) { return b_.create<arith::ConstantIndexOp>(value); }

  void layOut(int64_t total) {
    const int64_t count = std::max<int64_t>(ceilDiv(total, kInvocations), 1);
    const int64_t columns = std::min(count, kMostWorkgroups);
    kernel_.workgroup_size = {static_cast<uint32_t>(kInvocations), 1, 1};
    kernel_.workgroups = {static_cast<uint32_t>(columns),
                          static_cast<uint32_t>(ceilDiv(count, columns)), 1};
  }

  Value invocation() {
    Value group = b_.create<gpu::BlockIdOp>(gpu::Dimension::x);
    if (kernel_.workgroups[1] > 1) {
      Value row = b_.create<gpu::BlockIdOp>(gpu::Dimension::y);
      row = b_.create<arith::MulIOp>(row, index(kernel_.workgroups[0]));
      group = b_.create<arith::AddIOp>(row, group);
    }
    Value first = b_.create<arith::MulIOp>(group, index(kInvocations));
    return b_.create<arith::AddIOp>(first, b_.create<gpu::ThreadIdOp>(gpu::Dimension::x));
  }

  /// The iterations of one invocation in place of `loop`.
  void unroll(scf::ParallelOp loop, Value number, ArrayRef<int64_t> extents) {
    b_.setInsertionPoint(loop);
    SmallVector<Value> places(extents.size());
    for (size_t d = extents.size(); d-- > 0;) {
      if (d == 0) {
        places[d] = number;
        continue;
      }
      places[d] = b_.create<arith::RemUIOp>(number, index(extents[d]));
      number = b_.create<arith::DivUIOp>(number, index(extents[d]));
    }
    const Value last = places.back();
    for (int64_t lane = 0; lane < lanes_; ++lane) {
      if (lanes_ > 1) {
        Value first = b_.create<arith::MulIOp>(last, index(lanes_));
        places.back() = b_.create<arith::AddIOp>(first, index(lane));
      }
      IRMapping mapping;
      mapping.map(loop.getInductionVars(), places);
      for (Operation& op : loop.getBody()->without_terminator()) b_.clone(op, mapping);
    }
    loop.erase();
  }

  Block& body_;
  int64_t lanes_;
  KernelIr& kernel_;
  ImplicitLocOpBuilder b_;
};

}  // namespace

FailureOr<KernelIr> buildGenericKernel(linalg::LinalgOp op) {
  FailureOr<KernelIr> kernel = KernelCutter(op).cut();
  if (failed(kernel)) return failure();
  auto function = *kernel->module->getOps<func::FuncOp>().begin();
  linalg::LinalgOp inside;
  function.walk([&](linalg::LinalgOp found) { inside = found; });
  IRRewriter rewriter(op->getContext());
  FailureOr<linalg::LinalgOp> ordered = withParallelLoopsFirst(rewriter, inside);
  if (failed(ordered)) return op->emitError("the op has no loops");
  const int64_t lanes = lanesOf(*ordered);
  rewriter.setInsertionPoint(*ordered);
  if (failed(linalg::linalgOpToParallelLoops(rewriter, *ordered))) {
    return op->emitError("the op has no loops");
  }
  rewriter.eraseOp(*ordered);
  if (failed(GridBuilder(function, lanes, *kernel).build())) return failure();
  return kernel;
}

}  // namespace vta::codegen
