#include "host_gpu/tensor/tensor_kernel.h"

#include <algorithm>
#include <utility>

#include "base/integer_math.h"
#include "host_gpu/tensor/tensor_factor.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace vta::codegen {
namespace {

using namespace mlir;

constexpr int64_t kWarp = 32;
constexpr int64_t kLanesAcross = 4;
/// The columns of two instructions lie so that a lane has four neighbours, which make a word of
/// bytes; those that are turned have their order in memory.
constexpr int64_t kLaneColumns = 4, kTurnedLaneColumns = 2;

/// A lane of a warp has every eighth row, and `neighbours` of as many columns for each lane.
TileLayout laneLayout(const GemmSchedule& schedule, int64_t neighbours) {
  TileLayout layout{.block_rows = schedule.block_rows,
                    .block_columns = schedule.block_columns,
                    .rows = schedule.warp_rows / 8,
                    .row_step = 8,
                    .columns = {},
                    .neighbours = neighbours};
  for (int64_t first = 0; first < schedule.warp_columns; first += neighbours * kLanesAcross) {
    for (int64_t i = 0; i < neighbours; ++i) layout.columns.push_back(first + i);
  }
  return layout;
}

class TensorEmitter {
 public:
  TensorEmitter(Location location, const Product& product, const GemmSchedule& schedule)
      : product_(product),
        contraction_(product.contraction),
        schedule_(schedule),
        spec_(gemmSpecOf(contraction_)),
        b_(location, location.getContext()),
        indices_(b_),
        ops_(b_, spec_.element),
        frame_(b_, product),
        left_(b_, contraction_, contraction_.left, contraction_.rows,
              geometryOf(schedule.block_rows), TensorFactor::Side::kLeft),
        right_(b_, contraction_, contraction_.right, contraction_.columns,
               geometryOf(schedule.block_columns), TensorFactor::Side::kRight),
        tile_(b_, contraction_, laneLayout(schedule, laneColumns())) {}

  KernelIr emit() {
    frame_.createFunction({{contraction_.left}, {contraction_.right}});
    layOut();
    const auto position = b_.saveInsertionPoint();
    const SmallVector<Value> sums = emitSteps();
    b_.restoreInsertionPoint(position);
    frame_.finish(sums, tile_);
    return std::move(frame_.kernel());
  }

 private:
  bool isGroup() const { return schedule_.tier == GemmTier::kGroup; }

  int64_t elementBytes() const { return spec_.element == GemmElement::kInt8 ? 1 : 2; }

  /// Neighbours that a lane has.
  int64_t laneColumns() const { return right_.isTurned() ? kTurnedLaneColumns : kLaneColumns; }

  TensorFactor::Geometry geometryOf(int64_t block) const {
    return {.block = block,
            .stages = schedule_.stages,
            .invocations = schedule_.invocations(),
            .element_bytes = elementBytes(),
            .may_end = partDepth(spec_, schedule_) * schedule_.split_grid - spec_.depth >=
                       schedule_.block_depth,
            .of_group = isGroup()};
  }

  /// The grid, and where this invocation is in it.
  void layOut() {
    KernelIr& kernel = frame_.kernel();
    const auto groups = [](int64_t count, int64_t block) {
      return static_cast<uint32_t>(ceilDiv(count, block));
    };
    kernel.ptx_target = isGroup() ? kGroupArchitecture : kTensorArchitecture;
    kernel.workgroup_size = {static_cast<uint32_t>(schedule_.invocations()), 1, 1};
    kernel.workgroups = {groups(spec_.columns, schedule_.block_columns),
                         groups(spec_.rows, schedule_.block_rows),
                         static_cast<uint32_t>(spec_.batch)};
    kernel.shared_bytes = static_cast<uint32_t>(sharedBytes(spec_, schedule_));
    const Value invocation = b_.create<gpu::ThreadIdOp>(gpu::Dimension::x);
    lane_ = indices_.remainder(invocation, kWarp);
    const Value warp = indices_.quotient(invocation, kWarp);
    const int64_t across = schedule_.block_columns / schedule_.warp_columns;
    warp_row_ = indices_.multiply(indices_.quotient(warp, across), schedule_.warp_rows);
    warp_column_ = indices_.multiply(indices_.remainder(warp, across), schedule_.warp_columns);
    const Value row =
        indices_.multiply(b_.create<gpu::BlockIdOp>(gpu::Dimension::y), schedule_.block_rows);
    const Value column =
        indices_.multiply(b_.create<gpu::BlockIdOp>(gpu::Dimension::x), schedule_.block_columns);
    const Value lane_column =
        indices_.multiply(indices_.remainder(lane_, kLanesAcross), laneColumns());
    const Value batch = b_.create<gpu::BlockIdOp>(gpu::Dimension::z);
    if (schedule_.split_grid > 1) {  // the batch counts parts of the grid, too (productOfParts)
      first_step_ = indices_.multiply(indices_.quotient(batch, spec_.batch / schedule_.split_grid),
                                      stepCount());
    }
    tile_.place(batch,
                indices_.add(indices_.add(row, warp_row_), indices_.quotient(lane_, kLanesAcross)),
                indices_.add(indices_.add(column, warp_column_), lane_column));
    left_.place(frame_, ops_, tile_.batchPlace(contraction_.left), row, invocation);
    right_.place(frame_, ops_, tile_.batchPlace(contraction_.right), column, invocation);
  }

  /// Of a part of the grid.
  int64_t stepCount() const { return partDepth(spec_, schedule_) / schedule_.stepDepth(); }

  /// The factor whose words wait in registers until products have been computed. Registers suffice
  /// for those of one; where both are gathered, it is the right one.
  TensorFactor* waitingFactor() {
    if (!right_.isAsync()) return &right_;
    return left_.isAsync() ? nullptr : &left_;
  }

  /// Copies a step, or starts to; the words of the factor that waits.
  SmallVector<Value> fetch(Value step, Value stage) {
    SmallVector<Value> words;
    if (first_step_) step = indices_.add(step, first_step_);
    for (TensorFactor* factor : {&left_, &right_}) {
      if (factor->isAsync()) {
        factor->startCopies(step, stage);
      } else if (factor == waitingFactor()) {
        words = factor->gather(step);
      } else {
        factor->scatter(factor->gather(step), stage);
      }
    }
    return words;
  }

  /// The loop through the depth; the sums behind it. Copies run some steps ahead of products, which
  /// its first rounds have none of, and its last ones copy nothing: each is in the code once.
  SmallVector<Value> emitSteps() {
    const SmallVector<Value> first = frame_.firstSums(tile_);
    const int64_t ahead = schedule_.stages - 1, steps = stepCount();
    auto loop = b_.create<scf::ForOp>(indices_.number(0), indices_.number(steps + ahead),
                                      indices_.number(1), first);
    b_.setInsertionPointToStart(loop.getBody());
    const Value round = loop.getInductionVar();
    const Value stage = indices_.remainder(round, schedule_.stages);
    const Value is_more = indices_.isBelow(round, steps);
    ops_.waitForCopies(ahead - 1);
    if (isGroup()) ops_.publishCopies();
    // Others see what this invocation has copied, and have read what it is going to overwrite.
    b_.create<gpu::BarrierOp>();
    const SmallVector<Value> words = fetchIf(is_more, round, stage);
    ops_.closeCopies();
    const SmallVector<Value> sums =
        multiplyFrom(ahead, round, SmallVector<Value>(loop.getRegionIterArgs()));
    if (!words.empty()) {
      auto branch = b_.create<scf::IfOp>(is_more, /*withElseRegion=*/false);
      const OpBuilder::InsertionGuard leaves(b_);
      b_.setInsertionPoint(branch.thenBlock()->getTerminator());
      waitingFactor()->scatter(words, stage);
    }
    b_.create<scf::YieldOp>(sums);
    return SmallVector<Value>(loop.getResults());
  }

  SmallVector<Value> fetchIf(Value condition, Value step, Value stage) {
    const TensorFactor* waiting = waitingFactor();
    const size_t count = waiting == nullptr ? 0 : waiting->wordCount();
    auto branch = b_.create<scf::IfOp>(SmallVector<Type>(count, b_.getI32Type()), condition,
                                       /*withElseRegion=*/count > 0);
    const OpBuilder::InsertionGuard leaves(b_);
    if (count > 0) {
      b_.setInsertionPointToStart(branch.elseBlock());
      const Value zero = b_.create<arith::ConstantIntOp>(0, 32);
      b_.create<scf::YieldOp>(SmallVector<Value>(count, zero));
    }
    b_.setInsertionPointToStart(branch.thenBlock());
    const SmallVector<Value> words = fetch(step, stage);
    if (count > 0) b_.create<scf::YieldOp>(words);
    return SmallVector<Value>(branch.getResults());
  }

  /// `sums` with the products of the step that was copied `ahead` rounds ago, if there was one.
  SmallVector<Value> multiplyFrom(int64_t ahead, Value round, const SmallVector<Value>& sums) {
    const Value has_products =
        b_.create<arith::CmpIOp>(arith::CmpIPredicate::uge, round, indices_.number(ahead));
    auto branch = b_.create<scf::IfOp>(SmallVector<Type>(sums.size(), contraction_.sum),
                                       has_products, /*withElseRegion=*/true);
    const OpBuilder::InsertionGuard leaves(b_);
    b_.setInsertionPointToStart(branch.elseBlock());
    b_.create<scf::YieldOp>(sums);
    b_.setInsertionPointToStart(branch.thenBlock());
    // As many stages later modulo their number.
    const Value stage = indices_.remainder(indices_.add(round, 1), schedule_.stages);
    b_.create<scf::YieldOp>(isGroup() ? multiplyTogether(sums, stage) : multiply(sums, stage));
    return SmallVector<Value>(branch.getResults());
  }

  /// The registers of a warp's rows or columns from `first` on, 16 each.
  SmallVector<TensorOps::Registers> load(TensorFactor& factor, Value stage, Value first,
                                         int64_t count, int64_t chunk) {
    SmallVector<TensorOps::Registers> loaded;
    for (int64_t i = 0; i < count; i += kMmaRows) {
      loaded.push_back(factor.load(stage, indices_.add(first, i), chunk, lane_));
    }
    return loaded;
  }

  /// What one step adds to the sums, by four warps together.
  SmallVector<Value> multiplyTogether(const SmallVector<Value>& before, Value stage) {
    const size_t columns = tile_.columns();
    // Of each 8 columns a lane has two neighbours of its first row, then the same of the second.
    SmallVector<size_t> places;
    for (size_t j = 0; j < columns; j += 2) {
      places.append({j, j + 1, columns + j, columns + j + 1});
    }
    SmallVector<Value> sums;
    for (const size_t place : places) sums.push_back(before[place]);
    const Value rows = indices_.multiply(indices_.quotient(warp_row_, kGroupRows), kGroupRows);
    SmallVector<std::pair<Value, Value>> factors;
    for (int64_t chunk = 0; chunk < kTensorChunks; chunk += kMmaChunks) {
      factors.emplace_back(left_.describe(stage, rows, chunk),
                           right_.describe(stage, indices_.number(0), chunk));
    }
    sums = ops_.multiplyGroup(factors, sums);
    SmallVector<Value> made(before.size());
    for (const auto [i, place] : llvm::enumerate(places)) made[place] = sums[i];
    return made;
  }

  /// What one step adds to the sums.
  SmallVector<Value> multiply(SmallVector<Value> sums, Value stage) {
    const size_t columns = tile_.columns();
    for (int64_t chunk = 0; chunk < kTensorChunks; chunk += kMmaChunks) {
      const auto lefts = load(left_, stage, warp_row_, schedule_.warp_rows, chunk);
      const auto rights = load(right_, stage, warp_column_, schedule_.warp_columns, chunk);
      for (size_t i = 0; i < lefts.size(); ++i) {
        for (size_t j = 0; j < 2 * rights.size(); ++j) {
          const TensorOps::Registers& right = rights[j / 2];
          // Rows 2i and 2i + 1 of the tile, and a pair of columns.
          const size_t upper = 2 * i * columns + 2 * j, lower = upper + columns;
          const size_t places[] = {upper, upper + 1, lower, lower + 1};
          TensorOps::Registers part;
          for (size_t k = 0; k < part.size(); ++k) part[k] = sums[places[k]];
          part = ops_.multiplyAdd(lefts[i], right[j % 2 * 2], right[j % 2 * 2 + 1], part);
          for (size_t k = 0; k < part.size(); ++k) sums[places[k]] = part[k];
        }
      }
    }
    return sums;
  }

  const Product& product_;
  const Contraction& contraction_;
  const GemmSchedule& schedule_;
  const GemmSpec spec_;
  ImplicitLocOpBuilder b_;
  Indices indices_;
  TensorOps ops_;
  ProductFrame frame_;
  TensorFactor left_, right_;
  GemmTile tile_;
  Value lane_, warp_row_, warp_column_;
  Value first_step_;  // of the part of the grid; null: zero
};

/// Warps load turned factors each by itself.
bool hasTurnedFactor(const Contraction& contraction) {
  const int64_t bytes = gemmSpecOf(contraction).element == GemmElement::kF16 ? 2 : 1;
  return areTurned(contraction, contraction.left, contraction.rows, bytes) ||
         areTurned(contraction, contraction.right, contraction.columns, bytes);
}

}  // namespace

std::vector<GemmSchedule> tensorSchedules(const Product& product, int64_t split_grid) {
  std::vector<GemmSchedule> schedules;
  const GemmSpec spec = gemmSpecOf(product.contraction);
  for (const GemmTier tier : {GemmTier::kGroup, GemmTier::kTensor}) {
    if (!hasKernelFor(product, tier)) continue;
    const auto schedule = defaultTensorSchedule(spec, kTensorLimits, split_grid, tier);
    if (schedule) schedules.push_back(*schedule);
  }
  return schedules;
}

std::vector<GemmSchedule> tensorSchedulesBeside(const Product& product, const GemmSchedule& chosen,
                                                const GpuKernelLimits& limits) {
  std::vector<GemmSchedule> schedules;
  for (const GemmSchedule& usual : tensorSchedules(product, chosen.split_grid)) {
    // Codes for four warps stand in front of those for one, and these in front of all others.
    const bool is_in_front = usual.tier > chosen.tier;
    const bool runs_there =
        usual.tier == GemmTier::kGroup ? limits.warps_together > 0 : limits.warp > 0;
    if (usual.tier != chosen.tier && !(is_in_front && runs_there)) schedules.push_back(usual);
  }
  const auto behind = std::ranges::find_if(
      schedules, [&](const GemmSchedule& other) { return other.tier < chosen.tier; });
  if (chosen.isTensor()) schedules.insert(behind, chosen);
  return schedules;
}

bool hasKernelFor(const Product& product, GemmTier tier) {
  return tier != GemmTier::kGroup || !hasTurnedFactor(product.contraction);
}

KernelIr buildTensorKernel(Location location, const Product& product,
                           const GemmSchedule& schedule) {
  location.getContext()->loadDialect<NVVM::NVVMDialect>();
  return TensorEmitter(location, product, schedule).emit();
}

}  // namespace vta::codegen
