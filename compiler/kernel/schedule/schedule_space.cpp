#include "compiler/kernel/schedule/schedule_space.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "base/integer_math.h"
#include "compiler/kernel/desc/tiling.h"
#include "compiler/kernel/plan/cost_constants.h"
#include "compiler/kernel/plan/kernel_plan.h"
#include "compiler/kernel/primitives/loop_nest.h"
#include "compiler/kernel/schedule/cost_model.h"

namespace vta::kernel {
namespace {

// Tile sizes that cut `extent` into balanced pieces, largest first: few pieces exactly, many in
// geometric steps; always ends with 1.
std::vector<int64_t> balancedSizes(int64_t extent, int64_t exact) {
  std::vector<int64_t> sizes;
  for (int64_t pieces = 1; pieces < extent;
       pieces = pieces < exact ? pieces + 1 : pieces * 3 / 2 + 1) {
    const int64_t size = ceilDiv(extent, pieces);
    if (sizes.empty() || size < sizes.back()) sizes.push_back(size);
  }
  if (sizes.empty() || sizes.back() != 1) sizes.push_back(1);
  return sizes;
}

// Sizes that cut a row of `extent` pixels into about equal pieces, largest first. They are dense,
// because a scratchpad may be just large enough for one of them.
std::vector<int64_t> rowSizes(int64_t extent) {
  std::vector<int64_t> sizes;
  const auto add = [&](int64_t size) {
    if (size <= extent && (sizes.empty() || size < sizes.back())) sizes.push_back(size);
  };
  for (int64_t pieces = 1; pieces < extent;
       pieces += std::max<int64_t>(1, pieces / kExactPiecesOfRow)) {
    const int64_t even = ceilDiv(extent, pieces);
    add(ceilDiv(even, kBankTurn) * kBankTurn);
    if (even <= kExactRowPixels || pieces <= kExactRowPieces) add(even);
  }
  add(1);
  return sizes;
}

// Output-block tiles: several whole groups, or parts of one group.
std::vector<int64_t> outBlockSizes(const Geometry& g) {
  std::vector<int64_t> sizes;
  const int64_t per_group = g.outBlocksPerGroup();
  if (g.groups > 1) {
    for (int64_t groups : balancedSizes(g.groups, kExactPiecesOfBlocks))
      sizes.push_back(groups * per_group);
    if (per_group == 1) return sizes;
    sizes.pop_back();  // one whole group comes again below
  }
  for (int64_t size : balancedSizes(per_group, kExactPiecesOfBlocks)) sizes.push_back(size);
  return sizes;
}

struct TapTile {
  int64_t height, width;
};

// Whole kernel, single rows, single taps.
std::vector<TapTile> tapTiles(const Geometry& g) {
  std::vector<TapTile> tiles = {{0, 0}};
  if (g.folds()) return tiles;
  if (g.kernel_height > 1) tiles.push_back({1, 0});
  if (g.kernel_width > 1) tiles.push_back({1, 1});
  return tiles;
}

// Why tiles are left out before they get a plan.
constexpr const char* kTileBeyondAcc = "ACC, by the tile alone";

// Which parts of the space to visit.
struct Scope {
  std::vector<TapTile> taps;
  std::vector<int> virtual_threads;
};

std::vector<bool> int8Choices(const KernelDesc& desc, const HwConfig& hw) {
  if (!hasInt8Operands(desc)) return {true};
  if (hw.params().compat_0_0_2) return {true};
  if (hw.blockIn() != hw.blockOut()) return {false};
  return {true, false};
}

// Skipping is a choice where there are zeros to skip.
std::vector<bool> paddingChoices(const KernelDesc& desc) {
  const Geometry& g = desc.geometry;
  const bool reduces = desc.kind == KernelKind::kContraction || desc.kind == KernelKind::kSumPool;
  if (!g.isPadded() || !reduces || g.folds() || g.pad_value != 0) return {false};
  return {false, true};
}

// Visits the schedules of `scope` that fit `hw`, in a fixed order.
template <typename Visit>
void forEachSchedule(const KernelDesc& desc, const HwConfig& hw, const Scope& scope,
                     const Visit& visit, RejectionCounts* rejected = nullptr) {
  const Geometry& g = desc.geometry;
  const bool one_row = isPointwise(desc);
  const std::vector<int64_t> heights =
      one_row ? std::vector<int64_t>{1} : balancedSizes(g.out_height, kExactPiecesOfPixels);
  const std::vector<int64_t> widths = one_row ? rowSizes(g.out_height * g.out_width)
                                              : balancedSizes(g.out_width, kExactPiecesOfPixels);
  const std::vector<int64_t> outs = outBlockSizes(g);
  const std::vector<int64_t> ins = balancedSizes(g.inBlocksPerGroup(), kExactPiecesOfBlocks);
  const std::vector<bool> int8 = int8Choices(desc, hw);
  const std::vector<bool> padding = paddingChoices(desc);
  const int64_t acc_depth = hw.depthElems(MemoryType::kAcc);
  KernelPlan plan;
  PlanFailure failure;
  Schedule s;
  const auto visitInner = [&] {
    for (const int64_t in : ins) {
      s.tile_in_blocks = in;
      for (const TapTile& taps : scope.taps) {
        // Steps of some taps are for what is too large with one input block.
        if (in > 1 && taps.height > 0) continue;
        s.tile_kernel_height = taps.height;
        s.tile_kernel_width = taps.width;
        for (const auto order : {Schedule::Order::kWeightsInner, Schedule::Order::kWeightsOuter}) {
          s.order = order;
          for (const bool through_gemm : int8) {
            s.int8_through_gemm = through_gemm;
            if (!makePlan(desc, s, hw, plan, failure)) {
              if (rejected != nullptr)
                ++(*rejected)[failure.resource != nullptr ? failure.resource : "?"];
              continue;
            }
            // With one pixel tile, or one channel tile, there is one order only.
            const Tiling& t = plan.tiling;
            const bool both = t.outTiles() > 1 && g.batch_blocks * t.pixelTiles() > 1;
            if (!both && order == Schedule::Order::kWeightsOuter) continue;
            for (const bool skip_padding : padding) {
              s.skip_padding = skip_padding;
              visit(s, plan);
            }
          }
        }
      }
    }
  };
  for (const int threads : scope.virtual_threads) {
    s.virtual_threads = threads;
    for (const int64_t out : outs) {
      s.tile_out_blocks = out;
      for (const int64_t height : heights) {
        s.tile_height = height;
        for (const int64_t width : widths) {
          s.tile_width = width;
          if (out * height * width <= acc_depth) {
            visitInner();
          } else if (rejected != nullptr) {
            ++(*rejected)[kTileBeyondAcc];
          }
        }
      }
    }
  }
}

// One pixel, one block, one tap at a time, or all of them where a GEMM takes several.
Schedule smallestSchedule(const KernelDesc& desc, bool int8_through_gemm) {
  Schedule smallest;
  smallest.virtual_threads = 1;
  smallest.tile_kernel_height = desc.geometry.folds() ? 0 : 1;
  smallest.tile_kernel_width = smallest.tile_kernel_height;
  smallest.int8_through_gemm = int8_through_gemm;
  return smallest;
}

}  // namespace

void visitSchedules(const KernelDesc& desc, const HwConfig& hw, const VisitSchedule& visit,
                    RejectionCounts* rejected) {
  if (!validateKernelDesc(desc, hw).ok()) return;
  forEachSchedule(desc, hw, {tapTiles(desc.geometry), {2, 1}}, visit, rejected);
}

std::vector<Schedule> enumerateSchedules(const KernelDesc& desc, const HwConfig& hw) {
  std::vector<Schedule> schedules;
  visitSchedules(desc, hw, [&](const Schedule& s, const KernelPlan&) { schedules.push_back(s); });
  return schedules;
}

std::vector<Schedule> rankedSchedules(const KernelDesc& desc, const HwConfig& hw, size_t count,
                                      const MemoryTraits& memory) {
  std::vector<Schedule> schedules;
  if (count == 0 || !validateKernelDesc(desc, hw).ok()) return schedules;
  // Double-buffered almost always fits and is then best; small buffers make the search go on to one
  // virtual thread.
  const std::vector<TapTile> all_taps = tapTiles(desc.geometry);
  std::vector<Schedule> all;
  std::vector<std::pair<double, size_t>> order;  // cycles, place in `all`
  for (const Scope& scope : {Scope{all_taps, {2}}, Scope{all_taps, {1}}}) {
    forEachSchedule(desc, hw, scope, [&](const Schedule& s, const KernelPlan& plan) {
      order.emplace_back(estimatePlanCost(desc, s, hw, plan, memory).cycles, all.size());
      all.push_back(s);
    });
    if (!all.empty()) break;
  }
  const size_t kept = std::min(count, order.size());
  std::ranges::partial_sort(order, order.begin() + static_cast<std::ptrdiff_t>(kept));
  for (size_t i = 0; i < kept; ++i) schedules.push_back(all[order[i].second]);
  return schedules;
}

Result<Schedule> defaultSchedule(const KernelDesc& desc, const HwConfig& hw,
                                 const MemoryTraits& memory) {
  VTA_RETURN_IF_ERROR(validateKernelDesc(desc, hw));
  const std::vector<Schedule> best = rankedSchedules(desc, hw, 1, memory);
  if (!best.empty()) return best.front();
  // The smallest schedule does not fit: say what it lacks.
  const Schedule smallest = smallestSchedule(desc, int8Choices(desc, hw).front());
  VTA_RETURN_IF_ERROR(checkSchedule(desc, smallest, hw).withContext("no schedule fits"));
  return smallest;
}

Status checkRunnable(const KernelDesc& desc, const HwConfig& hw) {
  VTA_RETURN_IF_ERROR(validateKernelDesc(desc, hw));
  for (const bool through_gemm : int8Choices(desc, hw)) {
    if (checkSchedule(desc, smallestSchedule(desc, through_gemm), hw).ok()) return {};
  }
  return defaultSchedule(desc, hw).status();
}

}  // namespace vta::kernel
