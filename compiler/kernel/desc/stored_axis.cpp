#include "compiler/kernel/desc/stored_axis.h"

#include <algorithm>

#include "base/integer_math.h"

namespace vta::kernel {
namespace {

/// value mod extent, in [0, extent).
int64_t wrapped(int64_t value, int64_t extent) {
  const int64_t rest = value % extent;
  return rest < 0 ? rest + extent : rest;
}

}  // namespace

int64_t StoredAxis::placeAt(int64_t stored) const {
  const int64_t place = stored + crop_low, image = outputs * interleave;
  if (border == Border::kWrap) return wrapped(place, image);
  if (border == Border::kEdge || image == 1) return std::clamp<int64_t>(place, 0, image - 1);
  const int64_t period = 2 * (image - 1);
  const int64_t folded = wrapped(place, period);
  return std::min(folded, period - folded);
}

std::vector<StoredRun> StoredAxis::runs(int64_t first, int64_t count, int64_t place) const {
  if (!extends()) {
    const int64_t begin = std::max(first, ceilDiv(crop_low - place, interleave));
    const int64_t end = std::min(first + count, ceilDiv(extent + crop_low - place, interleave));
    if (begin >= end) return {};
    return {{begin, end - begin, begin * interleave + place - crop_low}};
  }
  std::vector<StoredRun> found;
  for (int64_t stored = 0; stored < extent; ++stored) {
    const int64_t source = placeAt(stored);
    const int64_t output = source / interleave;
    if (source % interleave != place || output < first || output >= first + count) continue;
    if (!found.empty()) {
      StoredRun& last = found.back();
      if (output == last.first + last.count && stored == last.stored + last.count * interleave) {
        ++last.count;
        continue;
      }
    }
    found.push_back({output, 1, stored});
  }
  return found;
}

StoredAxis storedRows(const Geometry& g) {
  return {g.out_height, g.interleave_y, g.crop_top, g.storedHeight(), g.border};
}

StoredAxis storedColumns(const Geometry& g) {
  return {g.out_width, g.interleave_x, g.crop_left, g.storedWidth(), g.border};
}

}  // namespace vta::kernel
