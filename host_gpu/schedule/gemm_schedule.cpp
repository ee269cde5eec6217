#include "host_gpu/schedule/gemm_schedule.h"

#include <fmt/format.h>

#include <array>

#include "base/integer_math.h"

namespace vta::codegen {
namespace {

/// From the one that reuses most to one that any device has room for. Shallow steps keep the code
/// short: drivers that run on processors take seconds to compile long ones.
constexpr std::array<GemmSchedule, 6> kCandidates = {{
    {64, 64, 8, 8, 4},
    {32, 64, 8, 4, 4},
    {32, 32, 8, 4, 4},
    {16, 32, 8, 2, 4},
    {16, 16, 8, 2, 4},
    {16, 16, 8, 2, 2},
}};

/// So many workgroups occupy a GPU of common size. Smaller blocks read more for each product.
constexpr int64_t kManyWorkgroups = 32;

int64_t workgroupsOf(const GemmSpec& spec, const GemmSchedule& schedule) {
  return spec.batch * ceilDiv(spec.rows, schedule.block_rows) *
         ceilDiv(spec.columns, schedule.block_columns);
}

/// How much of what its blocks compute is thrown away is at most a half in each direction.
bool isFilled(const GemmSpec& spec, const GemmSchedule& schedule) {
  return spec.rows * 2 > schedule.block_rows && spec.columns * 2 > schedule.block_columns;
}

}  // namespace

std::string brokenRule(const GemmSpec& spec, const GemmSchedule& schedule,
                       const GpuKernelLimits& limits) {
  const GemmSchedule& s = schedule;
  if (s.tile_rows < 1 || s.tile_columns < 1 || s.block_depth < 1 || s.block_rows < 1 ||
      s.block_columns < 1) {
    return "extents of blocks and tiles are at least 1";
  }
  if (s.block_rows % s.tile_rows != 0 || s.block_columns % s.tile_columns != 0) {
    return fmt::format("tiles of {}x{} do not divide a block of {}x{}", s.tile_rows, s.tile_columns,
                       s.block_rows, s.block_columns);
  }
  if (s.tile_rows * s.tile_columns > kMostTileElems) {
    return fmt::format("a tile of {}x{} has more than {} sums", s.tile_rows, s.tile_columns,
                       kMostTileElems);
  }
  if (s.invocations() > limits.invocations) {
    return fmt::format("{} invocations are more than the {} of a workgroup", s.invocations(),
                       limits.invocations);
  }
  if (s.sharedBytes() > limits.shared_bytes) {
    return fmt::format("{} bytes are more than the {} that a workgroup shares", s.sharedBytes(),
                       limits.shared_bytes);
  }
  if (s.block_rows * s.block_depth % s.invocations() != 0 ||
      s.block_columns * s.block_depth % s.invocations() != 0) {
    return fmt::format("{} invocations do not share the copies of {}x{} and {}x{} elements evenly",
                       s.invocations(), s.block_rows, s.block_depth, s.block_depth,
                       s.block_columns);
  }
  for (const int64_t count :
       {ceilDiv(spec.columns, s.block_columns), ceilDiv(spec.rows, s.block_rows), spec.batch}) {
    if (count <= limits.workgroups) continue;
    return fmt::format("{} workgroups are more than the {} of one direction", count,
                       limits.workgroups);
  }
  return "";
}

GemmSchedule defaultGemmSchedule(const GemmSpec& spec, const GpuKernelLimits& limits) {
  GemmSchedule last = kCandidates.back();
  for (const GemmSchedule& candidate : kCandidates) {
    if (!brokenRule(spec, candidate, limits).empty()) continue;
    last = candidate;
    if (isFilled(spec, candidate) && workgroupsOf(spec, candidate) >= kManyWorkgroups) break;
  }
  return last;
}

}  // namespace vta::codegen
