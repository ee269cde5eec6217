#include "host_gpu/kernels/gemm_kernel.h"

#include <algorithm>

#include "base/integer_math.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace vta::codegen {
namespace {

using namespace mlir;

/// The memory that a workgroup shares, as the conversions of the gpu dialect number it.
constexpr unsigned kWorkgroupSpace = 3;
/// Fewer rows, columns or products than that are left to one invocation for each element.
constexpr int64_t kLeastExtent = 8;

/// Index arithmetic on known and unknown numbers.
class Indices {
 public:
  explicit Indices(ImplicitLocOpBuilder& b) : b_(b) {}

  Value number(int64_t value) { return b_.create<arith::ConstantIndexOp>(value); }
  Value add(Value x, Value y) { return b_.createOrFold<arith::AddIOp>(x, y); }
  Value add(Value x, int64_t y) { return y == 0 ? x : add(x, number(y)); }
  Value multiply(Value x, int64_t y) {
    return y == 1 ? x : b_.createOrFold<arith::MulIOp>(x, number(y));
  }
  Value quotient(Value x, int64_t y) {
    return y == 1 ? x : b_.createOrFold<arith::DivUIOp>(x, number(y));
  }
  Value remainder(Value x, int64_t y) { return b_.createOrFold<arith::RemUIOp>(x, number(y)); }
  Value isBelow(Value x, int64_t y) {
    return b_.create<arith::CmpIOp>(arith::CmpIPredicate::ult, x, number(y));
  }

 private:
  ImplicitLocOpBuilder& b_;
};

/// Several loops of a contraction that one number counts, the last of them fastest.
class LoopGroup {
 public:
  LoopGroup(const Contraction& contraction, ArrayRef<unsigned> loops)
      : extents_(contraction.extents), loops_(loops), count_(contraction.count(loops)) {}

  int64_t count() const { return count_; }

  /// What `number` adds to the place of an element of `operand`.
  Value offset(Indices& indices, Value number, const LinearOperand& operand) const {
    if (isOneStride(operand)) {
      return loops_.empty() ? Value()
                            : indices.multiply(number, operand.coefficients[loops_.back()]);
    }
    Value sum;
    for (size_t i = loops_.size(); i-- > 0;) {
      Value digit = i == 0 ? number : indices.remainder(number, extents_[loops_[i]]);
      if (i > 0) number = indices.quotient(number, extents_[loops_[i]]);
      const int64_t coefficient = operand.coefficients[loops_[i]];
      if (coefficient == 0) continue;
      Value term = indices.multiply(digit, coefficient);
      sum = sum ? indices.add(sum, term) : term;
    }
    return sum;
  }

  /// Whether neighbouring numbers are neighbours in memory.
  bool walksMemory(const LinearOperand& operand) const {
    return !loops_.empty() && operand.coefficients[loops_.back()] == 1;
  }

 private:
  bool isOneStride(const LinearOperand& operand) const {
    for (size_t i = 0; i + 1 < loops_.size(); ++i) {
      const int64_t inner = operand.coefficients[loops_[i + 1]] * extents_[loops_[i + 1]];
      if (operand.coefficients[loops_[i]] != inner) return false;
    }
    return true;
  }

  ArrayRef<int64_t> extents_;
  ArrayRef<unsigned> loops_;
  int64_t count_;
};

/// One of the two factors, and its part of the shared memory: [depth][row or column].
struct Factor {
  const LinearOperand& operand;
  const LoopGroup& side;  // its rows or columns
  int64_t block = 0;      // as many of them
  Value buffer{}, shared{};
  Value base{};   // the place of its batch
  Value first{};  // the first row or column of the workgroup's block
};

class GemmEmitter {
 public:
  GemmEmitter(Location location, const Contraction& contraction, const InitialSums& initial,
              const GemmSchedule& schedule)
      : contraction_(contraction),
        initial_(initial),
        schedule_(schedule),
        batch_(contraction, contraction.batch),
        rows_(contraction, contraction.rows),
        columns_(contraction, contraction.columns),
        depth_(contraction, contraction.depth),
        left_{contraction.left, rows_, schedule.block_rows},
        right_{contraction.right, columns_, schedule.block_columns},
        b_(location, location.getContext()),
        indices_(b_) {}

  KernelIr emit() {
    createFunction();
    layOut();
    const auto position = b_.saveInsertionPoint();
    SmallVector<Value> sums = emitSteps();
    b_.restoreInsertionPoint(position);
    storeSums(sums);
    return std::move(kernel_);
  }

 private:
  /// `inside` says whether the sum belongs to the result; null: each does.
  using ForSum = llvm::function_ref<void(int64_t number, Value row, Value column, Value inside)>;

  Value addBuffer(func::FuncOp function, const LinearOperand& operand, GpuAccess access) {
    int64_t end = operand.offset + 1;
    for (const auto [extent, coefficient] : llvm::zip(contraction_.extents, operand.coefficients)) {
      end += (extent - 1) * coefficient;
    }
    const Type element = cast<MemRefType>(operand.buffer.getType()).getElementType();
    kernel_.buffers.push_back(operand.buffer);
    kernel_.accesses.push_back(access);
    const unsigned number = function.getNumArguments();
    function.insertArgument(number, MemRefType::get({end}, element), {}, b_.getLoc());
    return function.getArgument(number);
  }

  void createFunction() {
    kernel_.module = ModuleOp::create(b_.getLoc());
    b_.setInsertionPointToEnd(kernel_.module->getBody());
    auto function = b_.create<func::FuncOp>(kKernelFunction, b_.getFunctionType({}, {}));
    function.addEntryBlock();
    left_.buffer = addBuffer(function, left_.operand, GpuAccess::kRead);
    right_.buffer = addBuffer(function, right_.operand, GpuAccess::kRead);
    const bool adds = initial_ && initial_->buffer == contraction_.out.buffer;
    out_ = addBuffer(function, contraction_.out, GpuAccess::kReadWrite);
    if (initial_) {
      initial_buffer_ = adds ? out_ : addBuffer(function, *initial_, GpuAccess::kRead);
    }
    b_.setInsertionPointToStart(&function.front());
    auto terminator = b_.create<func::ReturnOp>();
    b_.setInsertionPoint(terminator);
    kernel_.keeps_roundings = false;
  }

  /// The grid, and where this workgroup and this invocation are in it.
  void layOut() {
    const auto groups = [](int64_t count, int64_t block) {
      return static_cast<uint32_t>(ceilDiv(count, block));
    };
    kernel_.workgroup_size = {static_cast<uint32_t>(schedule_.invocations()), 1, 1};
    kernel_.workgroups = {groups(columns_.count(), right_.block),
                          groups(rows_.count(), left_.block), groups(batch_.count(), 1)};
    kernel_.shared_bytes = static_cast<uint32_t>(schedule_.sharedBytes());
    invocation_ = b_.create<gpu::ThreadIdOp>(gpu::Dimension::x);
    right_.first = indices_.multiply(b_.create<gpu::BlockIdOp>(gpu::Dimension::x), right_.block);
    left_.first = indices_.multiply(b_.create<gpu::BlockIdOp>(gpu::Dimension::y), left_.block);
    batch_number_ = b_.create<gpu::BlockIdOp>(gpu::Dimension::z);
    down_ = indices_.quotient(invocation_, schedule_.invocationsAcross());
    across_ = indices_.remainder(invocation_, schedule_.invocationsAcross());
    for (Factor* factor : {&left_, &right_}) {
      factor->base = batchPlace(factor->operand);
      const int64_t elems = factor->block * schedule_.block_depth;
      factor->shared = b_.create<memref::AllocOp>(MemRefType::get(
          {elems}, contraction_.sum, AffineMap(), b_.getI64IntegerAttr(kWorkgroupSpace)));
    }
  }

  Value batchPlace(const LinearOperand& operand) {
    const Value offset = batch_.offset(indices_, batch_number_, operand);
    return offset ? indices_.add(offset, operand.offset) : indices_.number(operand.offset);
  }

  Value zero() { return b_.create<arith::ConstantOp>(b_.getZeroAttr(contraction_.sum)); }

  Value placeOf(const LinearOperand& operand, Value row, Value column) {
    Value place = batchPlace(operand);
    if (Value of_row = rows_.offset(indices_, row, operand)) place = indices_.add(place, of_row);
    if (Value of_column = columns_.offset(indices_, column, operand)) {
      place = indices_.add(place, of_column);
    }
    return place;
  }

  /// Whether `number` is one of `count`; null if each of the blocks' is.
  Value guard(Value number, int64_t count, int64_t block) {
    return count % block == 0 ? Value() : indices_.isBelow(number, count);
  }
  Value both(Value x, Value y) {
    if (!x || !y) return x ? x : y;
    return b_.create<arith::AndIOp>(x, y);
  }

  /// Calls `body` with the place of each of the invocation's sums in the result.
  void forEachSum(ForSum body) {
    const GemmSchedule& s = schedule_;
    const Value top = indices_.add(left_.first, indices_.multiply(down_, s.tile_rows));
    const Value side = indices_.add(right_.first, across_);
    for (int64_t i = 0; i < s.tile_rows; ++i) {
      for (int64_t j = 0; j < s.tile_columns; ++j) {
        const Value row = indices_.add(top, i);
        const Value column = indices_.add(side, j * s.invocationsAcross());
        const Value inside = both(guard(row, rows_.count(), s.block_rows),
                                  guard(column, columns_.count(), s.block_columns));
        body(i * s.tile_columns + j, row, column, inside);
      }
    }
  }

  /// Writes the sums that belong to the result, inside of branches where not all do.
  void storeSums(ArrayRef<Value> sums) {
    forEachSum([&](int64_t number, Value row, Value column, Value inside) {
      const OpBuilder::InsertionGuard restores(b_);
      if (inside) {
        auto branch = b_.create<scf::IfOp>(inside, /*withElseRegion=*/false);
        b_.setInsertionPoint(branch.thenBlock()->getTerminator());
      }
      const Value place = placeOf(contraction_.out, row, column);
      b_.create<memref::StoreOp>(sums[number], out_, place);
    });
  }

  /// An element of `buffer`, or zero where `inside` is false.
  Value guardedLoad(Value buffer, Value place, Value inside, Operation* extension = nullptr) {
    if (inside) place = b_.create<arith::SelectOp>(inside, place, indices_.number(0));
    Value value = b_.create<memref::LoadOp>(buffer, place);
    if (extension != nullptr) {
      IRMapping mapping;
      mapping.map(extension->getOperand(0), value);
      value = b_.clone(*extension, mapping)->getResult(0);
    }
    return inside ? b_.create<arith::SelectOp>(inside, value, zero()).getResult() : value;
  }

  SmallVector<Value> firstSums() {
    SmallVector<Value> sums(schedule_.tile_rows * schedule_.tile_columns);
    if (!initial_) {
      std::ranges::fill(sums, zero());
      return sums;
    }
    forEachSum([&](int64_t number, Value row, Value column, Value inside) {
      sums[number] = guardedLoad(initial_buffer_, placeOf(*initial_, row, column), inside);
    });
    return sums;
  }

  /// The loop through the depth; the sums behind it.
  SmallVector<Value> emitSteps() {
    const SmallVector<Value> first = firstSums();
    auto loop = b_.create<scf::ForOp>(indices_.number(0), indices_.number(depth_.count()),
                                      indices_.number(schedule_.block_depth), first);
    b_.setInsertionPointToStart(loop.getBody());
    copy(left_, loop.getInductionVar());
    copy(right_, loop.getInductionVar());
    b_.create<gpu::BarrierOp>();
    const SmallVector<Value> sums = multiply(SmallVector<Value>(loop.getRegionIterArgs()));
    b_.create<gpu::BarrierOp>();
    b_.create<scf::YieldOp>(sums);
    return SmallVector<Value>(loop.getResults());
  }

  /// The workgroup's part of a factor for one step, from its buffer to shared memory.
  void copy(Factor& factor, Value step) {
    const int64_t depth = schedule_.block_depth, elems = factor.block * depth;
    const bool by_depth = depth_.walksMemory(factor.operand);
    for (int64_t done = 0; done < elems; done += schedule_.invocations()) {
      const Value number = indices_.add(invocation_, done);
      const Value outer = indices_.quotient(number, by_depth ? depth : factor.block);
      const Value inner = indices_.remainder(number, by_depth ? depth : factor.block);
      const Value in_depth = by_depth ? inner : outer, in_side = by_depth ? outer : inner;
      const Value side = indices_.add(factor.first, in_side);
      const Value at = indices_.add(step, in_depth);
      Value place = factor.base;
      if (Value offset = factor.side.offset(indices_, side, factor.operand)) {
        place = indices_.add(place, offset);
      }
      if (Value offset = depth_.offset(indices_, at, factor.operand)) {
        place = indices_.add(place, offset);
      }
      const Value inside =
          both(guard(side, factor.side.count(), factor.block), guard(at, depth_.count(), depth));
      const Value value = guardedLoad(factor.buffer, place, inside, factor.operand.extension);
      const Value to = indices_.add(indices_.multiply(in_depth, factor.block), in_side);
      b_.create<memref::StoreOp>(value, factor.shared, to);
    }
  }

  /// What one step adds to the sums.
  SmallVector<Value> multiply(const SmallVector<Value>& first) {
    const GemmSchedule& s = schedule_;
    auto loop = b_.create<scf::ForOp>(indices_.number(0), indices_.number(s.block_depth),
                                      indices_.number(1), first);
    const OpBuilder::InsertionGuard restores(b_);
    b_.setInsertionPointToStart(loop.getBody());
    const Value at = loop.getInductionVar();
    const Value row =
        indices_.add(indices_.multiply(at, s.block_rows), indices_.multiply(down_, s.tile_rows));
    const Value column = indices_.add(indices_.multiply(at, s.block_columns), across_);
    SmallVector<Value> lefts, rights, sums;
    for (int64_t i = 0; i < s.tile_rows; ++i) {
      lefts.push_back(b_.create<memref::LoadOp>(left_.shared, indices_.add(row, i)));
    }
    for (int64_t j = 0; j < s.tile_columns; ++j) {
      const Value place = indices_.add(column, j * s.invocationsAcross());
      rights.push_back(b_.create<memref::LoadOp>(right_.shared, place));
    }
    for (int64_t i = 0; i < s.tile_rows; ++i) {
      for (int64_t j = 0; j < s.tile_columns; ++j) {
        const Value sum = loop.getRegionIterArgs()[i * s.tile_columns + j];
        sums.push_back(multiplyAdd(lefts[i], rights[j], sum));
      }
    }
    b_.create<scf::YieldOp>(sums);
    return SmallVector<Value>(loop.getResults());
  }

  Value multiplyAdd(Value x, Value y, Value sum) {
    if (contraction_.sum.isF32()) {
      return b_.create<arith::AddFOp>(sum, b_.create<arith::MulFOp>(x, y));
    }
    return b_.create<arith::AddIOp>(sum, b_.create<arith::MulIOp>(x, y));
  }

  const Contraction& contraction_;
  const InitialSums& initial_;
  const GemmSchedule& schedule_;
  const LoopGroup batch_, rows_, columns_, depth_;
  Factor left_, right_;
  ImplicitLocOpBuilder b_;
  Indices indices_;
  KernelIr kernel_;
  Value out_, initial_buffer_, invocation_, down_, across_, batch_number_;
};

}  // namespace

GemmSpec gemmSpecOf(const Contraction& contraction) {
  return {contraction.count(contraction.batch), contraction.count(contraction.rows),
          contraction.count(contraction.columns), contraction.count(contraction.depth)};
}

bool isWorthBlocks(const GemmSpec& spec) {
  return spec.rows >= kLeastExtent && spec.columns >= kLeastExtent && spec.depth >= kLeastExtent;
}

KernelIr buildGemmKernel(Location location, const Contraction& contraction,
                         const InitialSums& initial, const GemmSchedule& schedule) {
  return GemmEmitter(location, contraction, initial, schedule).emit();
}

}  // namespace vta::codegen
