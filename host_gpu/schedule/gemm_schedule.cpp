#include "host_gpu/schedule/gemm_schedule.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <type_traits>

#include "base/integer_math.h"

namespace vta::codegen {
namespace {

constexpr int64_t kWordBytes = 4;
constexpr int64_t kWarp = 32;

using Part = GemmScheduleField::Part;

constexpr uint32_t bitOf(GemmTier tier) { return 1u << static_cast<unsigned>(tier); }
constexpr uint32_t kAllTiers = ~0u;
constexpr uint32_t kTensorTiers = bitOf(GemmTier::kTensor) | bitOf(GemmTier::kGroup);

template <auto member>
constexpr GemmScheduleField fieldOf(std::string_view name, std::span<const int64_t> values,
                                    Part part = Part::kWalk, uint32_t tiers = kAllTiers,
                                    int64_t most = 4096,
                                    std::span<const int64_t> tensor_values = {}) {
  return {name,
          [](const GemmSchedule& schedule) { return static_cast<int64_t>(schedule.*member); },
          [](GemmSchedule& schedule, int64_t value) {
            using Field = std::remove_reference_t<decltype(schedule.*member)>;
            schedule.*member = static_cast<Field>(value);
          },
          values,
          part,
          tiers,
          most,
          tensor_values};
}

// What searches try.
constexpr int64_t kExtents[] = {16, 32, 64, 128, 256}, kDepths[] = {8, 16, 32, 64};
constexpr int64_t kTiles[] = {1, 2, 4, 8, 16}, kWarpTiles[] = {16, 32, 64, 128};
constexpr int64_t kStages[] = {1, 2}, kStagesAhead[] = {2, 3, 4}, kSplits[] = {1, 2, 4},
                  kVectors[] = {1, 2, 4};
constexpr int64_t kGridSplits[] = {1, 2, 4, 8};
constexpr int64_t kUnrolls[] = {1, 2, 4}, kTiers[] = {0, 1, 2, 3}, kOrders[] = {0, 1};

constexpr std::array kFields = {
    fieldOf<&GemmSchedule::block_rows>("block_rows", kExtents, Part::kTile),
    fieldOf<&GemmSchedule::block_columns>("block_columns", kExtents, Part::kTile),
    fieldOf<&GemmSchedule::block_depth>("block_depth", kDepths, Part::kTile),
    fieldOf<&GemmSchedule::tile_rows>("tile_rows", kTiles, Part::kTile, ~kTensorTiers),
    fieldOf<&GemmSchedule::tile_columns>("tile_columns", kTiles, Part::kTile, ~kTensorTiers),
    fieldOf<&GemmSchedule::warp_rows>("warp_rows", kWarpTiles, Part::kTile, kTensorTiers),
    fieldOf<&GemmSchedule::warp_columns>("warp_columns", kWarpTiles, Part::kTile, kTensorTiers),
    fieldOf<&GemmSchedule::stages>("stages", kStages, Part::kWalk, kAllTiers, /*most=*/4096,
                                   kStagesAhead),
    fieldOf<&GemmSchedule::split_depth>("split_depth", kSplits, Part::kWalk, ~kTensorTiers),
    fieldOf<&GemmSchedule::split_grid>("split_grid", kGridSplits),
    fieldOf<&GemmSchedule::vector>("vector", kVectors, Part::kWalk, ~kTensorTiers),
    fieldOf<&GemmSchedule::unroll>("unroll", kUnrolls, Part::kWalk, ~kTensorTiers),
    fieldOf<&GemmSchedule::tier>("tier", kTiers, Part::kTile, kAllTiers, /*most=*/3),
    fieldOf<&GemmSchedule::order>("order", kOrders, Part::kWalk, ~kTensorTiers, /*most=*/1),
};

/// Of an element in shared memory.
int64_t elementBytes(const GemmSpec& spec, GemmTier tier) {
  switch (tier) {
    case GemmTier::kSimt:
      return kWordBytes;
    case GemmTier::kDot4:
      return 1;
    case GemmTier::kTensor:
    case GemmTier::kGroup:
      break;
  }
  if (spec.element == GemmElement::kInt8) return 1;
  return spec.element == GemmElement::kF16 ? 2 : kWordBytes;
}

/// What the tiles of invocations or warps have to be.
std::string brokenTileRule(const GemmSchedule& s, const GpuKernelLimits& limits) {
  const bool is_tensor = s.isTensor();
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
  if (s.tier == GemmTier::kGroup && limits.warps_together != kWarpsTogether) {
    return "the device has no tensor cores for four warps together";
  }
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
  if (s.stages < 1 || s.split_depth < 1 || s.split_grid < 1 || s.unroll < 1) {
    return "stages, parts of the depth and unrolled steps are at least 1";
  }
  if (!s.isTensor() && s.stages > 2) {
    return fmt::format("{} stages are more than the 2 of kernels without tensor cores", s.stages);
  }
  if (s.vector != 1 && s.vector != 2 && s.vector != 4) {
    return fmt::format("{} elements are not copied together: 1, 2 or 4 are", s.vector);
  }
  const int64_t unrolled = s.unroll * s.packed();
  if (s.block_depth % unrolled != 0) {
    return fmt::format("{} unrolled products do not divide steps of {}", unrolled, s.block_depth);
  }
  if (const int64_t steps = ceilDiv(spec.depth, s.stepDepth()); s.split_grid > steps) {
    return fmt::format("{} parts of the grid are more than the {} steps of the depth", s.split_grid,
                       steps);
  }
  // Sums in loops of loops may be rounded once.
  if (!s.isTensor() && s.unroll > 1 && s.block_depth == unrolled) {
    return fmt::format("{} unrolled products leave no loop of a step", unrolled);
  }
  return "";
}

/// Instructions of four warps multiply 64 rows and up to 256 columns.
std::string brokenGroupRule(const GemmSchedule& s) {
  constexpr int64_t kRows = 64, kWarpRows = 16, kMostColumns = 256;
  if (s.tier != GemmTier::kGroup) return "";
  if (s.warp_rows != kWarpRows || s.block_rows % kRows != 0) {
    return fmt::format(
        "warps that multiply together have {} rows each, and four of them a part of "
        "the block",
        kWarpRows);
  }
  if (s.warp_columns != s.block_columns || s.block_columns > kMostColumns) {
    return fmt::format("warps that multiply together have all columns of a block, {} at most",
                       kMostColumns);
  }
  return "";
}

/// What an invocation keeps in registers: sums, and words of a factor that wait for their place in
/// shared memory. More invocations have fewer registers each.
std::string brokenRegisterRule(const GemmSchedule& s) {
  constexpr int64_t kMostInvocations = 256, kRowWords = 16, kMostWords = 16;
  if (s.invocations() > kMostInvocations) {
    return fmt::format(
        "{} invocations are more than the {} whose registers suffice for the sums "
        "of tensor cores",
        s.invocations(), kMostInvocations);
  }
  if (s.warp_rows * s.warp_columns > kMostTileElems * kWarp) {
    return fmt::format("a warp's tile of {}x{} has more than {} sums for each invocation",
                       s.warp_rows, s.warp_columns, kMostTileElems);
  }
  const int64_t words = std::max(s.block_rows, s.block_columns) * kRowWords / s.invocations();
  if (words > kMostWords) {
    return fmt::format("{} words of a step are more than the {} that wait in an invocation", words,
                       kMostWords);
  }
  return "";
}

/// Instructions multiply 16 rows and 8 columns, of which two together keep neighbours in a lane.
/// Rows in shared memory are four chunks of 16 bytes.
std::string brokenTensorRule(const GemmSpec& spec, const GemmSchedule& s) {
  constexpr int64_t kTile = 16, kRowBytes = 64, kRowChunks = 4;
  if (!s.isTensor()) return "";
  if (spec.element != GemmElement::kInt8 && spec.element != GemmElement::kF16) {
    return "tensor cores multiply bytes and half floats";
  }
  if (std::string rule = brokenGroupRule(s); !rule.empty()) return rule;
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
  return brokenRegisterRule(s);
}

/// Each invocation copies as many elements as every other one.
std::string brokenCopyRule(const GemmSchedule& s) {
  if (s.isTensor()) return "";
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
  if (!s.isTensor() && loopRounds(spec, s) > kMostLoopRounds) {
    return fmt::format("{} rounds of loops are more than the {} of a device", loopRounds(spec, s),
                       kMostLoopRounds);
  }
  for (const int64_t count : {ceilDiv(spec.columns, s.block_columns),
                              ceilDiv(spec.rows, s.block_rows), spec.batch * s.split_grid}) {
    if (count <= limits.workgroups) continue;
    return fmt::format("{} workgroups are more than the {} of one direction", count,
                       limits.workgroups);
  }
  if (partBytes(spec, s) > limits.range_bytes) {
    return fmt::format("the sums of {} parts take {} bytes, which are more than the {} of a buffer",
                       s.split_grid, partBytes(spec, s), limits.range_bytes);
  }
  return "";
}

}  // namespace

int64_t GemmSchedule::invocations() const {
  if (isTensor()) {
    return block_rows / warp_rows * (block_columns / warp_columns) * kWarp * split_depth;
  }
  return invocationsDown() * invocationsAcross() * split_depth;
}

int64_t partDepth(const GemmSpec& spec, const GemmSchedule& s) {
  return ceilDiv(ceilDiv(spec.depth, s.split_grid), s.stepDepth()) * s.stepDepth();
}

int64_t partBytes(const GemmSpec& spec, const GemmSchedule& s) {
  return s.split_grid > 1 ? s.split_grid * spec.batch * spec.rows * spec.columns * kWordBytes : 0;
}

int64_t workgroupsOf(const GemmSpec& spec, const GemmSchedule& s) {
  return spec.batch * s.split_grid * ceilDiv(spec.rows, s.block_rows) *
         ceilDiv(spec.columns, s.block_columns);
}

int64_t loopRounds(const GemmSpec& spec, const GemmSchedule& s) {
  const int64_t steps = partDepth(spec, s) / s.stepDepth();
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

}  // namespace vta::codegen
