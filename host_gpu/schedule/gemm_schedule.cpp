#include "host_gpu/schedule/gemm_schedule.h"

#include <fmt/format.h>

#include <array>
#include <type_traits>

#include "base/integer_math.h"

namespace vta::codegen {
namespace {

constexpr int64_t kWordBytes = 4;
constexpr int64_t kWarp = 32;

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
constexpr int64_t kTensorStages = 3;

/// So many workgroups occupy a GPU of common size. Smaller blocks read more for each product.
constexpr int64_t kManyWorkgroups = 32;

/// Words of four bytes pay from that depth on.
constexpr int64_t kLeastDot4Depth = 16;

using Part = GemmScheduleField::Part;

constexpr uint32_t bitOf(GemmTier tier) { return 1u << static_cast<unsigned>(tier); }
constexpr uint32_t kAllTiers = ~0u, kTensorTier = bitOf(GemmTier::kTensor);

template <auto member>
constexpr GemmScheduleField fieldOf(std::string_view name, std::span<const int64_t> values,
                                    Part part = Part::kWalk, uint32_t tiers = kAllTiers,
                                    int64_t most = 4096) {
  return {name,
          [](const GemmSchedule& schedule) { return static_cast<int64_t>(schedule.*member); },
          [](GemmSchedule& schedule, int64_t value) {
            using Field = std::remove_reference_t<decltype(schedule.*member)>;
            schedule.*member = static_cast<Field>(value);
          },
          values,
          part,
          tiers,
          most};
}

// What searches try.
constexpr int64_t kExtents[] = {16, 32, 64, 128, 256}, kDepths[] = {8, 16, 32, 64};
constexpr int64_t kTiles[] = {1, 2, 4, 8, 16}, kWarpTiles[] = {16, 32, 64, 128};
constexpr int64_t kStages[] = {1, 2}, kSplits[] = {1, 2, 4}, kVectors[] = {1, 2, 4};
constexpr int64_t kUnrolls[] = {1, 2, 4}, kTiers[] = {0, 1, 2}, kOrders[] = {0, 1};

constexpr std::array kFields = {
    fieldOf<&GemmSchedule::block_rows>("block_rows", kExtents, Part::kTile),
    fieldOf<&GemmSchedule::block_columns>("block_columns", kExtents, Part::kTile),
    fieldOf<&GemmSchedule::block_depth>("block_depth", kDepths, Part::kTile),
    fieldOf<&GemmSchedule::tile_rows>("tile_rows", kTiles, Part::kTile, ~kTensorTier),
    fieldOf<&GemmSchedule::tile_columns>("tile_columns", kTiles, Part::kTile, ~kTensorTier),
    fieldOf<&GemmSchedule::warp_rows>("warp_rows", kWarpTiles, Part::kTile, kTensorTier),
    fieldOf<&GemmSchedule::warp_columns>("warp_columns", kWarpTiles, Part::kTile, kTensorTier),
    fieldOf<&GemmSchedule::stages>("stages", kStages),
    fieldOf<&GemmSchedule::split_depth>("split_depth", kSplits),
    fieldOf<&GemmSchedule::vector>("vector", kVectors),
    fieldOf<&GemmSchedule::unroll>("unroll", kUnrolls),
    fieldOf<&GemmSchedule::tier>("tier", kTiers, Part::kTile, kAllTiers, /*most=*/2),
    fieldOf<&GemmSchedule::order>("order", kOrders, Part::kWalk, kAllTiers, /*most=*/1),
};

int64_t workgroupsOf(const GemmSpec& spec, const GemmSchedule& schedule) {
  return spec.batch * ceilDiv(spec.rows, schedule.block_rows) *
         ceilDiv(spec.columns, schedule.block_columns);
}

/// How much of what its blocks compute is thrown away is at most a half in each direction.
bool isFilled(const GemmSpec& spec, const GemmSchedule& schedule) {
  return spec.rows * 2 > schedule.block_rows && spec.columns * 2 > schedule.block_columns;
}

/// Of an element in shared memory.
int64_t elementBytes(const GemmSpec& spec, GemmTier tier) {
  switch (tier) {
    case GemmTier::kSimt:
      return kWordBytes;
    case GemmTier::kDot4:
      return 1;
    case GemmTier::kTensor:
      break;
  }
  if (spec.element == GemmElement::kInt8) return 1;
  return spec.element == GemmElement::kF16 ? 2 : kWordBytes;
}

/// `schedule` with as few rounds of loops as it takes.
GemmSchedule withFewRounds(const GemmSpec& spec, GemmSchedule schedule) {
  for (int64_t* const factor : {&schedule.unroll, &schedule.split_depth}) {
    while (*factor < 4 && loopRounds(spec, schedule) > kMostLoopRounds) *factor *= 2;
  }
  return schedule;
}

/// What the tiles of invocations or warps have to be.
std::string brokenTileRule(const GemmSchedule& s, const GpuKernelLimits& limits) {
  const bool is_tensor = s.tier == GemmTier::kTensor;
  const int64_t rows = is_tensor ? s.warp_rows : s.tile_rows;
  const int64_t columns = is_tensor ? s.warp_columns : s.tile_columns;
  if (rows < 1 || columns < 1 || s.block_depth < 1 || s.block_rows < 1 || s.block_columns < 1) {
    return "extents of blocks and tiles are at least 1";
  }
  if (s.block_rows % rows != 0 || s.block_columns % columns != 0) {
    return fmt::format("tiles of {}x{} do not divide a block of {}x{}", rows, columns, s.block_rows,
                       s.block_columns);
  }
  if (is_tensor && limits.warp != kWarp) return "the device has no tensor cores";
  if (!is_tensor && rows * columns > kMostTileElems) {
    return fmt::format("a tile of {}x{} has more than {} sums", rows, columns, kMostTileElems);
  }
  return "";
}

/// What the walk through the depth has to be.
std::string brokenDepthRule(const GemmSpec& spec, const GemmSchedule& s) {
  if (s.tier == GemmTier::kDot4 && spec.element != GemmElement::kInt8) {
    return "only bytes have products of four";
  }
  if (s.stages < 1 || s.split_depth < 1 || s.unroll < 1) {
    return "stages, parts of the depth and unrolled steps are at least 1";
  }
  if (s.tier != GemmTier::kTensor && s.stages > 2) {
    return fmt::format("{} stages are more than the 2 of kernels without tensor cores", s.stages);
  }
  if (s.vector != 1 && s.vector != 2 && s.vector != 4) {
    return fmt::format("{} elements are not copied together: 1, 2 or 4 are", s.vector);
  }
  const int64_t unrolled = s.unroll * s.packed();
  if (s.block_depth % unrolled != 0) {
    return fmt::format("{} unrolled products do not divide steps of {}", unrolled, s.block_depth);
  }
  if (s.tier != GemmTier::kTensor && s.stages > 1 && s.vector > 1) {
    return fmt::format("copies of {} stages take one element at a time, not {}", s.stages,
                       s.vector);
  }
  // Sums in loops of loops may be rounded once.
  if (s.tier != GemmTier::kTensor && s.unroll > 1 && s.block_depth == unrolled) {
    return fmt::format("{} unrolled products leave no loop of a step", unrolled);
  }
  return "";
}

/// Instructions multiply 16 rows and 8 columns, of which two together keep neighbours in a lane.
/// Rows in shared memory are four chunks of 16 bytes.
std::string brokenTensorRule(const GemmSpec& spec, const GemmSchedule& s) {
  constexpr int64_t kTile = 16, kRowBytes = 64, kRowChunks = 4;
  if (s.tier != GemmTier::kTensor) return "";
  if (spec.element != GemmElement::kInt8 && spec.element != GemmElement::kF16) {
    return "tensor cores multiply bytes and half floats";
  }
  if (s.warp_rows % kTile != 0 || s.warp_columns % kTile != 0) {
    return fmt::format("tiles of {}x{} are no multiples of {}x{}", s.warp_rows, s.warp_columns,
                       kTile, kTile);
  }
  if (s.block_depth * elementBytes(spec, s.tier) != kRowBytes || s.split_depth != 1) {
    return fmt::format("steps with tensor cores have {} bytes of the whole depth", kRowBytes);
  }
  if (s.stages < 2) return "copies for tensor cores run ahead by one step or more";
  if (s.block_rows * kRowChunks % s.invocations() != 0 ||
      s.block_columns * kRowChunks % s.invocations() != 0) {
    return fmt::format("{} invocations do not share the copies of {} and {} rows evenly",
                       s.invocations(), s.block_rows, s.block_columns);
  }
  return "";
}

/// Each invocation copies as many elements as every other one.
std::string brokenCopyRule(const GemmSchedule& s) {
  if (s.tier == GemmTier::kTensor) return "";
  const int64_t copiers = s.invocations() / s.split_depth, depth = s.block_depth / s.packed();
  for (const int64_t extent : {s.block_rows, s.block_columns, depth}) {
    if (extent % s.vector == 0) continue;
    return fmt::format("{} elements that are copied together do not divide the {} of a block",
                       s.vector, extent);
  }
  for (const int64_t side : {s.block_rows, s.block_columns}) {
    if (side * depth % (copiers * s.vector) == 0) continue;
    return fmt::format("{} invocations do not share the copies of {}x{} and {}x{} elements evenly",
                       copiers, s.block_rows, depth, depth, s.block_columns);
  }
  return "";
}

std::string brokenLimit(const GemmSpec& spec, const GemmSchedule& s,
                        const GpuKernelLimits& limits) {
  if (s.invocations() > limits.invocations) {
    return fmt::format("{} invocations are more than the {} of a workgroup", s.invocations(),
                       limits.invocations);
  }
  if (sharedBytes(spec, s) > limits.shared_bytes) {
    return fmt::format("{} bytes are more than the {} that a workgroup shares",
                       sharedBytes(spec, s), limits.shared_bytes);
  }
  if (s.tier != GemmTier::kTensor && loopRounds(spec, s) > kMostLoopRounds) {
    return fmt::format("{} rounds of loops are more than the {} of a device", loopRounds(spec, s),
                       kMostLoopRounds);
  }
  for (const int64_t count :
       {ceilDiv(spec.columns, s.block_columns), ceilDiv(spec.rows, s.block_rows), spec.batch}) {
    if (count <= limits.workgroups) continue;
    return fmt::format("{} workgroups are more than the {} of one direction", count,
                       limits.workgroups);
  }
  return "";
}

}  // namespace

int64_t GemmSchedule::invocations() const {
  if (tier == GemmTier::kTensor) {
    return block_rows / warp_rows * (block_columns / warp_columns) * kWarp * split_depth;
  }
  return invocationsDown() * invocationsAcross() * split_depth;
}

int64_t loopRounds(const GemmSpec& spec, const GemmSchedule& s) {
  const int64_t steps = ceilDiv(spec.depth, s.block_depth * s.split_depth);
  const int64_t of_step = s.block_depth / s.packed() / s.unroll + 1;
  // Behind them is a loop through the rows of the tile.
  return steps * (of_step + 1) + 1 + s.tile_rows + 1;
}

int64_t sharedBytes(const GemmSpec& spec, const GemmSchedule& s) {
  const int64_t step =
      (s.block_rows + s.block_columns) * s.block_depth * elementBytes(spec, s.tier);
  // One part's sums at a time are handed over.
  const int64_t sums = s.split_depth > 1 ? s.block_rows * s.block_columns * kWordBytes : 0;
  return step * s.stages * s.split_depth + sums;
}

std::span<const GemmScheduleField> gemmScheduleFields() { return kFields; }

std::string brokenRule(const GemmSpec& spec, const GemmSchedule& schedule,
                       const GpuKernelLimits& limits) {
  if (std::string rule = brokenTileRule(schedule, limits); !rule.empty()) return rule;
  if (std::string rule = brokenDepthRule(spec, schedule); !rule.empty()) return rule;
  if (std::string rule = brokenTensorRule(spec, schedule); !rule.empty()) return rule;
  if (std::string rule = brokenLimit(spec, schedule, limits); !rule.empty()) return rule;
  return brokenCopyRule(schedule);
}

std::optional<GemmSchedule> defaultTensorSchedule(const GemmSpec& spec,
                                                  const GpuKernelLimits& limits) {
  std::optional<GemmSchedule> last;
  for (const TensorTiles& tiles : kTensorTiles) {
    GemmSchedule candidate{.block_rows = tiles.block_rows,
                           .block_columns = tiles.block_columns,
                           .block_depth = spec.element == GemmElement::kInt8 ? 64 : 32,
                           .warp_rows = tiles.warp_rows,
                           .warp_columns = tiles.warp_columns,
                           .stages = kTensorStages,
                           .tier = GemmTier::kTensor};
    if (!brokenRule(spec, candidate, limits).empty()) continue;
    last = candidate;
    if (isFilled(spec, candidate) && workgroupsOf(spec, candidate) >= kManyWorkgroups) break;
  }
  return last;
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
  return last;
}

}  // namespace vta::codegen
