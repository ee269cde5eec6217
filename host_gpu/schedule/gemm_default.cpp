// The schedules that products have where nobody has searched for better ones.
#include <array>
#include <span>

#include "host_gpu/schedule/gemm_space.h"

namespace vta::codegen {
namespace {

/// From the one that reuses most to one that any device has room for. Shallow steps keep the code
/// short: drivers that run on processors take seconds to compile long ones. Of bytes a row of a
/// step is a word of four.
constexpr std::array<GemmSchedule, 6> kCandidates = {{
    {64, 64, 8, 8, 4},
    {32, 64, 8, 4, 4},
    {32, 32, 8, 4, 4},
    {16, 32, 8, 2, 4},
    {16, 16, 8, 2, 4},
    {16, 16, 8, 2, 2},
}};

/// Of a block and of a warp. Sums, registers of factors and addresses of 64x32 just fit.
struct TensorTiles {
  int64_t block_rows, block_columns, warp_rows, warp_columns;
};
constexpr std::array<TensorTiles, 8> kTensorTiles = {{
    {128, 128, 64, 32},
    {128, 64, 64, 32},
    {64, 128, 32, 64},
    {64, 64, 32, 32},
    {32, 64, 16, 32},
    {64, 32, 32, 16},
    {32, 32, 16, 16},
    {16, 32, 16, 16},
}};
constexpr std::array<TensorTiles, 5> kGroupTiles = {{
    {128, 128, 16, 128},
    {128, 64, 16, 64},
    {64, 128, 16, 128},
    {64, 64, 16, 64},
    {64, 32, 16, 32},
}};
constexpr int64_t kTensorStages = 3;

/// So many workgroups occupy a GPU of common size. Smaller blocks read more for each product.
constexpr int64_t kManyWorkgroups = 32;

/// Words of four bytes pay from that depth on.
constexpr int64_t kLeastDot4Depth = 16;

/// Parts of the grid take another kernel and memory: they have to gain as much, by a rough model.
constexpr double kLeastGain = 2;

/// How much of what its blocks compute is thrown away is at most a half in each direction.
bool isFilled(const GemmSpec& spec, const GemmSchedule& schedule) {
  return spec.rows * 2 > schedule.block_rows && spec.columns * 2 > schedule.block_columns;
}

/// `schedule` with as few rounds of loops as it takes.
GemmSchedule withFewRounds(const GemmSpec& spec, GemmSchedule schedule) {
  for (int64_t* const factor : {&schedule.unroll, &schedule.split_depth}) {
    while (*factor < 4 && loopRounds(spec, schedule) > kMostLoopRounds) *factor *= 2;
  }
  return schedule;
}

/// `schedule` with the depth shared by the grid if that pays.
GemmSchedule withParts(const GemmSpec& spec, const GemmSchedule& schedule,
                       const GpuKernelLimits& limits) {
  if (!brokenRule(spec, schedule, limits).empty()) return schedule;
  GemmSchedule best = schedule;
  double least = estimateGemmNanoseconds(spec, schedule) / kLeastGain;
  for (const int64_t parts : {2, 4, 8}) {
    GemmSchedule candidate = schedule;
    candidate.split_grid = parts;
    if (!brokenRule(spec, candidate, limits).empty()) continue;
    const double time = estimateGemmNanoseconds(spec, candidate);
    if (time > least) continue;
    least = time;
    best = candidate;
  }
  return best;
}

}  // namespace

std::optional<GemmSchedule> defaultTensorSchedule(const GemmSpec& spec,
                                                  const GpuKernelLimits& limits, int64_t split_grid,
                                                  GemmTier tier) {
  std::optional<GemmSchedule> last;
  const bool is_group = tier == GemmTier::kGroup;
  for (const TensorTiles& tiles :
       is_group ? std::span<const TensorTiles>(kGroupTiles) : kTensorTiles) {
    GemmSchedule candidate{.block_rows = tiles.block_rows,
                           .block_columns = tiles.block_columns,
                           .block_depth = spec.element == GemmElement::kInt8 ? 64 : 32,
                           .warp_rows = tiles.warp_rows,
                           .warp_columns = tiles.warp_columns,
                           .stages = kTensorStages,
                           .split_grid = split_grid,
                           .tier = tier};
    if (!brokenRule(spec, candidate, limits).empty()) continue;
    last = candidate;
    if (isFilled(spec, candidate) && workgroupsOf(spec, candidate) >= kManyWorkgroups) break;
  }
  return last;
}

GemmSchedule usualGemmSchedule(const GemmSpec& spec, const GpuKernelLimits& limits) {
  const GemmSchedule plain = defaultGemmSchedule(spec, limits);
  for (const GemmTier tier : {GemmTier::kGroup, GemmTier::kTensor}) {
    const auto tensor = defaultTensorSchedule(spec, kTensorLimits, plain.split_grid, tier);
    if (tensor && brokenRule(spec, *tensor, limits).empty()) return *tensor;
  }
  return plain;
}

std::optional<GemmSchedule> plainGemmSchedule(const GemmSpec& spec, const GemmSchedule& schedule,
                                              const GpuKernelLimits& limits) {
  if (!schedule.isTensor()) return schedule;
  GemmSchedule plain = defaultGemmSchedule(spec, limits);
  plain.split_grid = schedule.split_grid;
  if (!brokenRule(spec, plain, limits).empty()) return std::nullopt;
  return plain;
}

GemmSchedule defaultGemmSchedule(const GemmSpec& spec, const GpuKernelLimits& limits) {
  GemmSchedule last = withFewRounds(spec, kCandidates.back());
  for (GemmSchedule candidate : kCandidates) {
    if (spec.element == GemmElement::kInt8 && spec.depth >= kLeastDot4Depth) {
      candidate.tier = GemmTier::kDot4;
      candidate.block_depth *= candidate.packed();
    }
    candidate = withFewRounds(spec, candidate);
    if (!brokenRule(spec, candidate, limits).empty()) continue;
    for (const int64_t vector : {2, 4}) {
      GemmSchedule longer = candidate;
      longer.vector = vector;
      if (brokenRule(spec, longer, limits).empty()) candidate = longer;
    }
    last = candidate;
    if (isFilled(spec, candidate) && workgroupsOf(spec, candidate) >= kManyWorkgroups) break;
  }
  return withParts(spec, last, limits);
}

}  // namespace vta::codegen
