#include "host_gpu/kernels/gemm/gemm_kernel.h"

#include <utility>

#include "base/integer_math.h"
#include "host_gpu/kernels/gemm/gemm_copy.h"
#include "host_gpu/kernels/gemm/product_frame.h"
#include "host_gpu/kernels/loop_group.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SPIRV/IR/SPIRVOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace vta::codegen {
namespace {

using namespace mlir;

class GemmEmitter {
 public:
  GemmEmitter(Location location, const Product& product, const GemmSchedule& schedule)
      : product_(product),
        contraction_(product.contraction),
        schedule_(schedule),
        spec_(gemmSpecOf(contraction_)),
        rows_(contraction_, contraction_.rows),
        columns_(contraction_, contraction_.columns),
        depth_(contraction_, contraction_.depth),
        b_(location, location.getContext()),
        indices_(b_),
        left_(b_, contraction_, schedule, contraction_.left, rows_, depth_, schedule.block_rows),
        right_(b_, contraction_, schedule, contraction_.right, columns_, depth_,
               schedule.block_columns),
        frame_(b_, product),
        tile_(b_, contraction_, schedule, writesParts(product.steps)) {}

  KernelIr emit() {
    frame_.createFunction({{contraction_.left, hasWords(contraction_.left, left_)},
                           {contraction_.right, hasWords(contraction_.right, right_)}});
    layOut();
    SmallVector<Value> sums = addParts(emitSteps());
    if (part_) {
      auto first = b_.create<scf::IfOp>(isFirstPart(), /*withElseRegion=*/false);
      b_.setInsertionPoint(first.thenBlock()->getTerminator());
    }
    frame_.finish(sums, tile_);
    return std::move(frame_.kernel());
  }

 private:
  /// Whether something else of the kernel than `factor`, one of the two, has the same buffer.
  bool isUsedElsewhere(const LinearOperand& factor) const {
    const auto is_same = [&](const std::optional<LinearOperand>& other) {
      return other && other->buffer == factor.buffer;
    };
    return contraction_.left.buffer == contraction_.right.buffer || is_same(product_.initial) ||
           is_same(contraction_.out) || llvm::any_of(product_.steps, [&](const EpilogueStep& step) {
             return is_same(step.out) || llvm::any_of(step.inputs, is_same);
           });
  }

  bool hasWords(const LinearOperand& factor, const FactorCopier& copier) const {
    return copier.hasWords() && !isUsedElsewhere(factor);
  }

  /// The grid, and where this workgroup and this invocation are in it.
  void layOut() {
    const auto groups = [](int64_t count, int64_t block) {
      return static_cast<uint32_t>(ceilDiv(count, block));
    };
    const bool is_along_columns = schedule_.order == GemmOrder::kAlongColumns;
    const uint32_t across = groups(columns_.count(), schedule_.block_columns);
    const uint32_t down = groups(rows_.count(), schedule_.block_rows);
    KernelIr& kernel = frame_.kernel();
    kernel.workgroup_size = {static_cast<uint32_t>(schedule_.invocations()), 1, 1};
    kernel.workgroups = {is_along_columns ? across : down, is_along_columns ? down : across,
                         static_cast<uint32_t>(contraction_.count(contraction_.batch))};
    kernel.shared_bytes = static_cast<uint32_t>(sharedBytes(spec_, schedule_));
    const auto first_of = [&](bool is_x, int64_t block) {
      return indices_.multiply(
          b_.create<gpu::BlockIdOp>(is_x ? gpu::Dimension::x : gpu::Dimension::y), block);
    };
    const Value first_column = first_of(is_along_columns, schedule_.block_columns);
    const Value first_row = first_of(!is_along_columns, schedule_.block_rows);
    invocation_ = b_.create<gpu::ThreadIdOp>(gpu::Dimension::x);
    if (schedule_.split_depth > 1) {
      const int64_t of_part = schedule_.invocations() / schedule_.split_depth;
      part_ = indices_.quotient(invocation_, of_part);
      invocation_ = indices_.remainder(invocation_, of_part);
    }
    down_ = indices_.quotient(invocation_, schedule_.invocationsAcross());
    across_ = indices_.remainder(invocation_, schedule_.invocationsAcross());
    const Value batch = b_.create<gpu::BlockIdOp>(gpu::Dimension::z);
    tile_.place(batch, first_row, first_column, down_, across_);
    first_depth_ = firstDepth(batch);
    const CopyPlace at{invocation_, part_};
    left_.place(frame_.argument(contraction_.left), tile_.batchPlace(contraction_.left), first_row,
                at);
    right_.place(frame_.argument(contraction_.right), tile_.batchPlace(contraction_.right),
                 first_column, at);
  }

  /// Where the depth begins that this invocation sums; null: at zero. `batch` counts parts of the
  /// grid, too (productOfParts).
  Value firstDepth(Value batch) {
    Value first = part_ ? indices_.multiply(part_, schedule_.block_depth) : Value();
    if (schedule_.split_grid == 1) return first;
    const int64_t batches = contraction_.count(contraction_.batch) / schedule_.split_grid;
    const Value of_part =
        indices_.multiply(indices_.quotient(batch, batches), partDepth(spec_, schedule_));
    return first ? indices_.add(of_part, first) : of_part;
  }

  Value isFirstPart() { return part_ ? indices_.isBelow(part_, 1) : Value(); }

  void storeStep(ArrayRef<Value> lefts, ArrayRef<Value> rights, Value stage) {
    left_.store(lefts, stage);
    right_.store(rights, stage);
  }

  /// The loop through the depth; the sums behind it. With two stages, what the next step takes is
  /// on its way while this one's products are computed.
  SmallVector<Value> emitSteps() {
    const int64_t stride = schedule_.stepDepth(), end = partDepth(spec_, schedule_);
    const auto step_at = [&](Value round) {
      return first_depth_ ? indices_.add(round, first_depth_) : round;
    };
    const bool may_end = end * schedule_.split_grid - depth_.count() >= schedule_.block_depth;
    const bool has_stages = schedule_.stages > 1;
    if (has_stages) {
      const Value first = step_at(indices_.number(0));
      storeStep(left_.load(first, may_end), right_.load(first, may_end), indices_.number(0));
      b_.create<gpu::BarrierOp>();
    }
    auto loop =
        b_.create<scf::ForOp>(indices_.number(0), indices_.number(end), indices_.number(stride),
                              frame_.firstSums(tile_, isFirstPart()));
    const OpBuilder::InsertionGuard restores(b_);
    b_.setInsertionPointToStart(loop.getBody());
    const Value round = loop.getInductionVar();
    Value step = step_at(round), stage, next_stage;
    if (has_stages) {
      step = indices_.add(step, stride);
      const Value number = indices_.quotient(round, stride);
      stage = indices_.remainder(number, 2);
      next_stage = indices_.remainder(indices_.add(number, 1), 2);
    }
    const SmallVector<Value> lefts = left_.load(step, may_end || has_stages);
    const SmallVector<Value> rights = right_.load(step, may_end || has_stages);
    if (!has_stages) {
      storeStep(lefts, rights, Value());
      b_.create<gpu::BarrierOp>();
    }
    const SmallVector<Value> sums = multiply(SmallVector<Value>(loop.getRegionIterArgs()), stage);
    if (has_stages) storeStep(lefts, rights, next_stage);
    b_.create<gpu::BarrierOp>();
    b_.create<scf::YieldOp>(sums);
    return SmallVector<Value>(loop.getResults());
  }

  /// What one step adds to the sums.
  SmallVector<Value> multiply(const SmallVector<Value>& first, Value stage) {
    const int64_t rows = schedule_.block_depth / schedule_.packed();
    auto loop = b_.create<scf::ForOp>(indices_.number(0), indices_.number(rows),
                                      indices_.number(schedule_.unroll), first);
    const OpBuilder::InsertionGuard restores(b_);
    b_.setInsertionPointToStart(loop.getBody());
    SmallVector<Value> sums(loop.getRegionIterArgs());
    for (int64_t i = 0; i < schedule_.unroll; ++i) {
      sums = multiplyRow(indices_.add(loop.getInductionVar(), i), sums, stage);
    }
    b_.create<scf::YieldOp>(sums);
    return SmallVector<Value>(loop.getResults());
  }

  SmallVector<Value> multiplyRow(Value at, ArrayRef<Value> before, Value stage) {
    const GemmSchedule& s = schedule_;
    const Value row = indices_.multiply(down_, s.tile_rows);
    const Value column = tile_.firstColumnInBlock(across_);
    SmallVector<Value> lefts, rights, sums;
    for (int64_t i = 0; i < s.tile_rows; ++i) {
      lefts.push_back(left_.shared(at, indices_.add(row, i), stage));
    }
    for (int64_t j = 0; j < s.tile_columns; ++j) {
      rights.push_back(right_.shared(at, indices_.add(column, j * tile_.columnStep()), stage));
    }
    for (int64_t i = 0; i < s.tile_rows; ++i) {
      for (int64_t j = 0; j < s.tile_columns; ++j) {
        sums.push_back(multiplyAdd(lefts[i], rights[j], before[i * s.tile_columns + j]));
      }
    }
    return sums;
  }

  /// The first part's invocations add the sums of the other parts, one part after the other.
  SmallVector<Value> addParts(SmallVector<Value> sums) {
    if (!part_) return sums;
    const int64_t of_part = schedule_.invocations() / schedule_.split_depth;
    const Value shared =
        allocateShared(b_, of_part * static_cast<int64_t>(sums.size()), contraction_.sum);
    const auto place = [&](size_t i) {
      return indices_.add(invocation_, static_cast<int64_t>(i) * of_part);
    };
    const SmallVector<Type> types(ValueRange(sums).getTypes());
    for (int64_t part = 1; part < schedule_.split_depth; ++part) {
      const Value is_part =
          b_.create<arith::CmpIOp>(arith::CmpIPredicate::eq, part_, indices_.number(part));
      auto gives = b_.create<scf::IfOp>(is_part, /*withElseRegion=*/false);
      {
        const OpBuilder::InsertionGuard restores(b_);
        b_.setInsertionPoint(gives.thenBlock()->getTerminator());
        for (const auto [i, sum] : llvm::enumerate(sums)) {
          b_.create<memref::StoreOp>(sum, shared, place(i));
        }
      }
      b_.create<gpu::BarrierOp>();
      auto takes = b_.create<scf::IfOp>(types, isFirstPart(), /*withElseRegion=*/true);
      {
        const OpBuilder::InsertionGuard restores(b_);
        b_.setInsertionPointToStart(takes.thenBlock());
        SmallVector<Value> added;
        for (const auto [i, sum] : llvm::enumerate(sums)) {
          added.push_back(add(sum, b_.create<memref::LoadOp>(shared, place(i))));
        }
        b_.create<scf::YieldOp>(added);
        b_.setInsertionPointToStart(takes.elseBlock());
        b_.create<scf::YieldOp>(sums);
      }
      sums.assign(takes.getResults().begin(), takes.getResults().end());
      if (part + 1 < schedule_.split_depth) b_.create<gpu::BarrierOp>();
    }
    return sums;
  }

  Value add(Value x, Value y) {
    if (contraction_.sum.isF32()) return b_.create<arith::AddFOp>(x, y);
    return b_.create<arith::AddIOp>(x, y);
  }

  Value multiplyAdd(Value x, Value y, Value sum) {
    if (contraction_.sum.isF32()) return add(sum, b_.create<arith::MulFOp>(x, y));
    if (schedule_.packed() == 1) return add(sum, b_.create<arith::MulIOp>(x, y));
    const auto bytes = spirv::PackedVectorFormatAttr::get(
        b_.getContext(), spirv::PackedVectorFormat::PackedVectorFormat4x8Bit);
    return add(sum, b_.create<spirv::SDotOp>(contraction_.sum, x, y, bytes));
  }

  const Product& product_;
  const Contraction& contraction_;
  const GemmSchedule& schedule_;
  const GemmSpec spec_;
  const LoopGroup rows_, columns_, depth_;
  ImplicitLocOpBuilder b_;
  Indices indices_;
  FactorCopier left_, right_;
  ProductFrame frame_;
  GemmTile tile_;
  Value invocation_, down_, across_;  // the first one's number in its part
  Value part_;                        // of the depth; null: there is one
  Value first_depth_;                 // that it sums; null: zero
};

}  // namespace

KernelIr buildGemmKernel(Location location, const Product& product, const GemmSchedule& schedule) {
  return GemmEmitter(location, product, schedule).emit();
}

}  // namespace vta::codegen
