#include "compiler/module/memory_plan.h"

#include <algorithm>
#include <cassert>
#include <limits>
#include <map>
#include <numeric>

#include "base/integer_math.h"
#include "module/gpu/gpu_ranges.h"

namespace vta::compiler {
namespace {

struct Placed {
  uint64_t begin_bytes;
  uint64_t end_bytes;
};

/// Offset of the tightest gap between `neighbours` (sorted by begin) that holds `size_bytes`, or
/// the end of them all.
uint64_t bestGap(std::span<const Placed> neighbours, uint64_t size_bytes, uint64_t range_bytes) {
  const auto place_from = [&](uint64_t offset_bytes) {
    return range_bytes == 0 ? offset_bytes : placeInRanges(offset_bytes, size_bytes, range_bytes);
  };
  uint64_t best_offset_bytes = std::numeric_limits<uint64_t>::max();
  uint64_t best_waste_bytes = std::numeric_limits<uint64_t>::max();
  uint64_t free_from_bytes = 0;
  for (const Placed& placed : neighbours) {
    const uint64_t offset_bytes = place_from(free_from_bytes);
    if (placed.begin_bytes >= offset_bytes + size_bytes) {
      const uint64_t waste_bytes = placed.begin_bytes - free_from_bytes - size_bytes;
      if (waste_bytes < best_waste_bytes) {
        best_waste_bytes = waste_bytes;
        best_offset_bytes = offset_bytes;
      }
    }
    free_from_bytes = std::max(free_from_bytes, placed.end_bytes);
  }
  return std::min(best_offset_bytes, place_from(free_from_bytes));
}

}  // namespace

MemoryPlan planMemory(std::span<const BufferLifetime> buffers, uint64_t alignment_bytes,
                      uint64_t range_bytes) {
  assert(alignment_bytes > 0 && (alignment_bytes & (alignment_bytes - 1)) == 0);
  // Largest first: small buffers then fill the gaps that are left, which for the shrinking
  // activations of real networks comes close to the lower bound.
  std::vector<size_t> order(buffers.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return buffers[a].size_bytes > buffers[b].size_bytes;
  });

  MemoryPlan plan;
  plan.offsets_bytes.assign(buffers.size(), 0);
  std::vector<size_t> done;
  std::vector<Placed> neighbours;
  for (const size_t index : order) {
    const uint64_t size_bytes = roundUp(buffers[index].size_bytes, alignment_bytes);
    neighbours.clear();
    for (const size_t other : done) {
      if (!buffers[index].overlaps(buffers[other])) continue;
      const uint64_t begin_bytes = plan.offsets_bytes[other];
      neighbours.push_back(
          {begin_bytes, begin_bytes + roundUp(buffers[other].size_bytes, alignment_bytes)});
    }
    std::sort(neighbours.begin(), neighbours.end(),
              [](const Placed& a, const Placed& b) { return a.begin_bytes < b.begin_bytes; });
    plan.offsets_bytes[index] = bestGap(neighbours, size_bytes, range_bytes);
    plan.peak_bytes = std::max(plan.peak_bytes, plan.offsets_bytes[index] + size_bytes);
    done.push_back(index);
  }
  return plan;
}

uint64_t lowerBoundBytes(std::span<const BufferLifetime> buffers, uint64_t alignment_bytes) {
  std::map<int64_t, int64_t> changes;  // bytes that become live or free at a step
  for (const BufferLifetime& buffer : buffers) {
    const auto size_bytes = static_cast<int64_t>(roundUp(buffer.size_bytes, alignment_bytes));
    changes[buffer.first_step] += size_bytes;
    changes[buffer.last_step + 1] -= size_bytes;
  }
  int64_t live_bytes = 0;
  int64_t most_bytes = 0;
  for (const auto& [step, change_bytes] : changes) {
    live_bytes += change_bytes;
    most_bytes = std::max(most_bytes, live_bytes);
  }
  return static_cast<uint64_t>(most_bytes);
}

}  // namespace vta::compiler
