#include "host_gpu/kernels/generic_kernel.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "base/integer_math.h"
#include "host_gpu/kernels/contraction.h"
#include "host_gpu/kernels/grid.h"
#include "host_gpu/kernels/group_buffers.h"
#include "host_gpu/kernels/point_emitter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace vta::codegen {
namespace {

using namespace mlir;

/// Every device has workgroups of that many invocations.
constexpr int64_t kInvocations = 64;
/// Elements of windows that an invocation computes side by side, if enough invocations remain.
constexpr int64_t kWindowPoints = 4, kManyInvocations = 4096;

class GenericEmitter {
 public:
  GenericEmitter(Location location, const OpGroup& group, GroupBuffers buffers)
      : group_(group),
        buffers_(std::move(buffers)),
        extents_(resultExtents(group.front())),
        b_(location, location.getContext()) {
    for (const int64_t extent : extents_) total_ *= extent;
    points_ = pointsOfInvocation();
  }

  FailureOr<KernelIr> emit() {
    if (total_ > std::numeric_limits<int32_t>::max()) {
      return emitError(b_.getLoc()) << total_ << " elements are more than 32 bits count";
    }
    createFunction();
    const SmallVector<Point> points = numberPoints(invocation());
    PointEmitter emitter(b_, outside_, buffers_.flat, points);
    for (const linalg::LinalgOp op : group_) emitter.emit(op);
    emitter.store();
    return std::move(kernel_);
  }

 private:
  Value index(int64_t value) { return b_.create<arith::ConstantIndexOp>(value); }
  Value multiply(Value x, int64_t y) {
    return y == 1 ? x : b_.create<arith::MulIOp>(x, index(y)).getResult();
  }

  /// Those of one word, if all narrow results are written as whole words; neighbours in a window's
  /// direction, which read almost the same.
  int64_t pointsOfInvocation() const {
    int64_t points = 1;
    for (linalg::LinalgOp op : group_) {
      for (OpOperand& init : op.getDpsInitsMutable()) {
        if (isLocal(init.get())) continue;
        const int64_t parts = partsOfWord(init.get());
        if (parts > 1 && !isInWholeWords(init, parts)) return 1;
        points = std::max(points, parts);
      }
    }
    const bool has_windows = llvm::any_of(group_, [](linalg::LinalgOp op) {
      return op.getNumReductionLoops() > 0 && writesOutSums(op);
    });
    if (!has_windows || extents_.empty() || total_ / kWindowPoints < kManyInvocations) {
      return points;
    }
    return extents_.back() % kWindowPoints == 0 ? kWindowPoints : points;
  }

  static int64_t partsOfWord(Value buffer) {
    constexpr int64_t kWordBits = 32;
    const Type element = cast<MemRefType>(buffer.getType()).getElementType();
    return kWordBits / std::clamp<int64_t>(element.getIntOrFloatBitWidth(), 8, kWordBits);
  }

  /// Whether as many neighbours as a word has parts are the parts of one.
  bool isInWholeWords(OpOperand& init, int64_t parts) const {
    if (buffers_.flat.contains(init.get())) return total_ % parts == 0;
    auto op = cast<linalg::LinalgOp>(init.getOwner());
    const auto operand = linearOperand(init.get(), op.getMatchingIndexingMap(&init));
    if (!operand || extents_.empty() || extents_.back() % parts != 0) return false;
    const unsigned last = parallelLoops(op).back();
    if (operand->coefficients[last] != 1 || operand->offset % parts != 0) return false;
    return llvm::all_of(llvm::enumerate(operand->coefficients), [&](const auto& loop) {
      return loop.index() == last || loop.value() % parts == 0;
    });
  }

  void createFunction() {
    kernel_.buffers = llvm::to_vector(buffers_.buffers);
    kernel_.accesses = buffers_.accesses;
    kernel_.module = ModuleOp::create(b_.getLoc());
    b_.setInsertionPointToEnd(kernel_.module->getBody());
    SmallVector<Type> types;
    for (const Value buffer : buffers_.buffers) {
      auto type = cast<MemRefType>(buffer.getType());
      const bool is_flat = buffers_.flat.contains(buffer);
      types.push_back(is_flat ? MemRefType::get({total_}, type.getElementType()) : type);
    }
    auto function = b_.create<func::FuncOp>(kKernelFunction, b_.getFunctionType(types, {}));
    Block* body = function.addEntryBlock();
    outside_.map(buffers_.buffers.getArrayRef(), body->getArguments());
    b_.setInsertionPointToStart(body);
    b_.setInsertionPoint(b_.create<func::ReturnOp>());
    for (Operation* constant : buffers_.constants) b_.clone(*constant, outside_);
  }

  /// The grid, and the invocation's number. What follows is inside of a branch that those take that
  /// have points.
  Value invocation() {
    const int64_t count = std::max<int64_t>(ceilDiv(total_ / points_, kInvocations), 1);
    kernel_.workgroup_size = {static_cast<uint32_t>(kInvocations), 1, 1};
    const Value group = layOutWorkgroups(b_, kernel_, count);
    Value first = b_.create<arith::MulIOp>(group, index(kInvocations));
    Value number = b_.create<arith::AddIOp>(first, b_.create<gpu::ThreadIdOp>(gpu::Dimension::x));
    Value is_inside =
        b_.create<arith::CmpIOp>(arith::CmpIPredicate::ult, number, index(total_ / points_));
    auto inside = b_.create<scf::IfOp>(is_inside, /*withElseRegion=*/false);
    b_.setInsertionPoint(inside.thenBlock()->getTerminator());
    return number;
  }

  SmallVector<Point> numberPoints(Value invocation) {
    const Value first = multiply(invocation, points_);
    const bool are_in_a_row = points_ > 1 && extents_.back() % points_ == 0;
    SmallVector<Point> points(points_);
    for (int64_t lane = 0; lane < points_; ++lane) {
      Point& point = points[lane];
      point.place = lane == 0 ? first : b_.create<arith::AddIOp>(first, index(lane)).getResult();
      if (!are_in_a_row) {
        point.numbers = digits(point.place, extents_);
        continue;
      }
      SmallVector<int64_t> extents = extents_;
      extents.back() /= points_;
      point.numbers = lane == 0 ? digits(invocation, extents) : points.front().numbers;
      Value& last = point.numbers.back();
      last = lane == 0 ? multiply(last, points_)
                       : b_.create<arith::AddIOp>(last, index(lane)).getResult();
    }
    return points;
  }

  SmallVector<Value> digits(Value number, ArrayRef<int64_t> extents) {
    SmallVector<Value> made(extents.size());
    for (size_t d = extents.size(); d-- > 1;) {
      made[d] = b_.create<arith::RemUIOp>(number, index(extents[d]));
      number = b_.create<arith::DivUIOp>(number, index(extents[d]));
    }
    if (!extents.empty()) made[0] = number;
    return made;
  }

  const OpGroup& group_;
  const GroupBuffers buffers_;
  const SmallVector<int64_t> extents_;
  int64_t total_ = 1;
  int64_t points_ = 1;  // of an invocation
  ImplicitLocOpBuilder b_;
  IRMapping outside_;
  KernelIr kernel_;
};

}  // namespace

FailureOr<KernelIr> buildGenericKernel(const OpGroup& group) {
  FailureOr<GroupBuffers> buffers = collectBuffers(group);
  if (failed(buffers)) return failure();
  linalg::LinalgOp last = group.back();
  return GenericEmitter(last.getLoc(), group, *std::move(buffers)).emit();
}

}  // namespace vta::codegen
