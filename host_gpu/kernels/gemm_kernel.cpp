#include "host_gpu/kernels/gemm_kernel.h"

#include <utility>

#include "base/integer_math.h"
#include "host_gpu/kernels/gemm_epilogue.h"
#include "host_gpu/kernels/loop_group.h"
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
  GemmEmitter(Location location, const Product& product, const GemmSchedule& schedule)
      : product_(product),
        contraction_(product.contraction),
        schedule_(schedule),
        rows_(contraction_, contraction_.rows),
        columns_(contraction_, contraction_.columns),
        depth_(contraction_, contraction_.depth),
        left_{contraction_.left, rows_, schedule.block_rows},
        right_{contraction_.right, columns_, schedule.block_columns},
        b_(location, location.getContext()),
        indices_(b_),
        tile_(b_, contraction_, schedule, writesParts(product.steps)) {}

  KernelIr emit() {
    createFunction();
    layOut();
    const auto position = b_.saveInsertionPoint();
    SmallVector<Value> sums = emitSteps();
    b_.restoreInsertionPoint(position);
    const auto argument_of = [this](const LinearOperand& operand) { return argument(operand); };
    EpilogueEmitter(b_, contraction_, product_.steps, constants_, argument_of, tile_).emit(sums);
    return std::move(kernel_);
  }

 private:
  /// The kernel's argument for a buffer.
  void addBuffer(const LinearOperand& operand, GpuAccess access) {
    if (isLocal(operand.buffer)) return;
    const auto number = static_cast<unsigned>(kernel_.buffers.size());
    const auto [known, is_new] = arguments_.try_emplace(operand.buffer, number);
    if (!is_new) {
      GpuAccess& has = kernel_.accesses[known->second];
      if (has != access) has = GpuAccess::kReadWrite;
      return;
    }
    kernel_.buffers.push_back(operand.buffer);
    kernel_.accesses.push_back(access);
    const auto type = cast<MemRefType>(operand.buffer.getType());
    const auto [strides, offset] = getStridesAndOffset(type);
    int64_t end = offset + 1;
    for (const auto [extent, stride] : llvm::zip(type.getShape(), strides)) {
      end += (extent - 1) * stride;
    }
    function_.insertArgument(number, MemRefType::get({end}, type.getElementType()), {},
                             b_.getLoc());
  }

  Value argument(const LinearOperand& operand) {
    return function_.getArgument(arguments_.at(operand.buffer));
  }

  void createFunction() {
    kernel_.module = ModuleOp::create(b_.getLoc());
    b_.setInsertionPointToEnd(kernel_.module->getBody());
    function_ = b_.create<func::FuncOp>(kKernelFunction, b_.getFunctionType({}, {}));
    function_.addEntryBlock();
    addBuffer(left_.operand, GpuAccess::kRead);
    addBuffer(right_.operand, GpuAccess::kRead);
    if (product_.initial) addBuffer(*product_.initial, GpuAccess::kRead);
    addBuffer(contraction_.out, GpuAccess::kReadWrite);
    for (const EpilogueStep& step : product_.steps) {
      for (const std::optional<LinearOperand>& input : step.inputs) {
        if (input) addBuffer(*input, GpuAccess::kRead);
      }
      addBuffer(step.out, GpuAccess::kReadWrite);
    }
    b_.setInsertionPointToStart(&function_.front());
    b_.setInsertionPoint(b_.create<func::ReturnOp>());
    for (Operation* constant : product_.constants) b_.clone(*constant, constants_);
    // Sums of floats gain by a device that rounds a product and a sum at once.
    kernel_.keeps_roundings = !contraction_.sum.isF32();
  }

  /// The grid, and where this workgroup and this invocation are in it.
  void layOut() {
    const auto groups = [](int64_t count, int64_t block) {
      return static_cast<uint32_t>(ceilDiv(count, block));
    };
    kernel_.workgroup_size = {static_cast<uint32_t>(schedule_.invocations()), 1, 1};
    kernel_.workgroups = {groups(columns_.count(), right_.block),
                          groups(rows_.count(), left_.block),
                          static_cast<uint32_t>(contraction_.count(contraction_.batch))};
    kernel_.shared_bytes = static_cast<uint32_t>(sharedBytes(gemmSpecOf(contraction_), schedule_));
    invocation_ = b_.create<gpu::ThreadIdOp>(gpu::Dimension::x);
    right_.first = indices_.multiply(b_.create<gpu::BlockIdOp>(gpu::Dimension::x), right_.block);
    left_.first = indices_.multiply(b_.create<gpu::BlockIdOp>(gpu::Dimension::y), left_.block);
    down_ = indices_.quotient(invocation_, schedule_.invocationsAcross());
    across_ = indices_.remainder(invocation_, schedule_.invocationsAcross());
    tile_.place(b_.create<gpu::BlockIdOp>(gpu::Dimension::z), left_.first, right_.first, down_,
                across_);
    for (Factor* factor : {&left_, &right_}) {
      factor->buffer = argument(factor->operand);
      factor->base = tile_.batchPlace(factor->operand);
      const int64_t elems = factor->block * schedule_.block_depth;
      factor->shared = b_.create<memref::AllocOp>(MemRefType::get(
          {elems}, contraction_.sum, AffineMap(), b_.getI64IntegerAttr(kWorkgroupSpace)));
    }
  }

  Value zero() { return b_.create<arith::ConstantOp>(b_.getZeroAttr(contraction_.sum)); }

  /// Whether `number` is one of `count`; null if each of the blocks' is.
  Value guard(Value number, int64_t count, int64_t block) {
    return count % block == 0 ? Value() : indices_.isBelow(number, count);
  }
  Value both(Value x, Value y) {
    if (!x || !y) return x ? x : y;
    return b_.create<arith::AndIOp>(x, y);
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

  /// What the sums of the tile begin with. Those of a row share what does not depend on columns.
  SmallVector<Value> firstSums() {
    const size_t columns = tile_.columns();
    if (!product_.initial) return SmallVector<Value>(tile_.rows() * columns, zero());
    const Value buffer = argument(*product_.initial);
    SmallVector<Value> sums;
    for (int64_t i = 0; i < tile_.rows(); ++i) {
      const Value row = tile_.rowNumber(indices_.number(i));
      const Value is_row_inside = tile_.isRowInside(row);
      const GemmTile::Places places = tile_.placesInRow(*product_.initial, row);
      for (size_t j = 0; j < columns; ++j) {
        if (j > 0 && !places.dependOnColumns()) {
          sums.push_back(sums.back());
          continue;
        }
        const Value column = places.dependOnColumns() ? tile_.isColumnInside(j) : Value();
        sums.push_back(guardedLoad(buffer, tile_.placeOf(places, j), both(is_row_inside, column)));
      }
    }
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

  /// A number whose one part is the same for all elements that an invocation copies.
  struct Sum {
    Value variable{};
    int64_t known = 0;
  };

  Value valueOf(Sum sum) { return indices_.add(sum.variable, sum.known); }

  /// Element number `done` + invocation of an array of rows of `inner` elements: its row and where
  /// it is in the row.
  std::pair<Sum, Sum> splitElement(int64_t done, int64_t inner) {
    const int64_t count = schedule_.invocations();
    if (count % inner == 0) {
      return {{indices_.quotient(invocation_, inner), done / inner},
              {indices_.remainder(invocation_, inner)}};
    }
    if (inner % count == 0) {
      return {{indices_.number(0), done / inner}, {invocation_, done % inner}};
    }
    const Value number = indices_.add(invocation_, done);
    return {{indices_.quotient(number, inner)}, {indices_.remainder(number, inner)}};
  }

  /// `place` with what number `first` + `at` of some loops adds to it.
  Sum withOffset(Sum place, const LoopGroup& loops, const LinearOperand& operand, Value first,
                 Sum at) {
    Value number = indices_.add(first, at.variable);
    if (const std::optional<int64_t> stride = loops.stride(operand)) {
      place.known += at.known * *stride;
    } else {
      number = indices_.add(number, at.known);
    }
    if (Value offset = loops.offset(indices_, number, operand)) {
      place.variable = indices_.add(place.variable, offset);
    }
    return place;
  }

  /// The workgroup's part of a factor for one step, from its buffer to shared memory.
  void copy(Factor& factor, Value step) {
    const int64_t depth = schedule_.block_depth, elems = factor.block * depth;
    const bool by_depth = depth_.walksMemory(factor.operand);
    for (int64_t done = 0; done < elems; done += schedule_.invocations()) {
      const auto [outer, inner] = splitElement(done, by_depth ? depth : factor.block);
      const Sum& in_depth = by_depth ? inner : outer;
      const Sum& in_side = by_depth ? outer : inner;
      Sum place = withOffset({factor.base}, factor.side, factor.operand, factor.first, in_side);
      place = withOffset(place, depth_, factor.operand, step, in_depth);
      const Value side = indices_.add(factor.first, valueOf(in_side));
      const Value at = indices_.add(step, valueOf(in_depth));
      const Value inside =
          both(guard(side, factor.side.count(), factor.block), guard(at, depth_.count(), depth));
      const Value value =
          guardedLoad(factor.buffer, valueOf(place), inside, factor.operand.extension);
      const Value row = indices_.multiply(in_depth.variable, factor.block);
      const Value to = indices_.add(row, in_side.variable);
      b_.create<memref::StoreOp>(value, factor.shared,
                                 indices_.add(to, in_depth.known * factor.block + in_side.known));
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
    const Value column =
        indices_.add(indices_.multiply(at, s.block_columns), tile_.firstColumnInBlock(across_));
    SmallVector<Value> lefts, rights, sums;
    for (int64_t i = 0; i < s.tile_rows; ++i) {
      lefts.push_back(b_.create<memref::LoadOp>(left_.shared, indices_.add(row, i)));
    }
    for (int64_t j = 0; j < s.tile_columns; ++j) {
      const Value place = indices_.add(column, j * tile_.columnStep());
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

  const Product& product_;
  const Contraction& contraction_;
  const GemmSchedule& schedule_;
  const LoopGroup rows_, columns_, depth_;
  Factor left_, right_;
  ImplicitLocOpBuilder b_;
  Indices indices_;
  GemmTile tile_;
  KernelIr kernel_;
  func::FuncOp function_;
  llvm::DenseMap<Value, unsigned> arguments_;  // numbers, by buffer
  IRMapping constants_;
  Value invocation_, down_, across_;
};

}  // namespace

KernelIr buildGemmKernel(Location location, const Product& product, const GemmSchedule& schedule) {
  return GemmEmitter(location, product, schedule).emit();
}

}  // namespace vta::codegen
