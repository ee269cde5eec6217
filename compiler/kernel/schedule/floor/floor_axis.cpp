#include "compiler/kernel/schedule/floor/floor_axis.h"

#include <algorithm>
#include <limits>
#include <vector>

#include "base/integer_math.h"

namespace vta::kernel {
namespace {

// The taps of one step of one tile, and where the first and the last of them are for the first and
// the last output.
struct AxisStep {
  int64_t outputs, taps;
  int64_t first, last;  // places; outside the input in padding
};

void countPlaces(StepSums& sums, const AxisStep& step, const WorkAxis& a, int64_t row_step) {
  const int64_t below = std::max<int64_t>(0, ceilDiv(-step.first, row_step));
  const int64_t end = floorDiv(std::min(step.last, a.in - 1) - step.first, row_step) + 1;
  const int64_t places = std::max<int64_t>(0, end - below);
  sums.least = std::min(sums.least, places);
  if (places == 0) return;
  ++sums.steps;
  sums.places += places;
  sums.products += step.outputs * step.taps;
  if (places < a.in) {
    ++sums.parts[places];
  } else if (step.first < 0 || step.last >= a.in) {
    ++sums.whole_padded;
  } else {
    ++sums.whole;
  }
}

}  // namespace

PieceCounts cutInto(int64_t extent, int64_t size) {
  PieceCounts pieces;
  if (extent >= size) pieces[size] = extent / size;
  if (extent % size != 0) ++pieces[extent % size];
  return pieces;
}

int64_t leastPiece(int64_t extent, int64_t size) {
  return extent % size != 0 ? extent % size : std::min(extent, size);
}

StepSums sumSteps(const WorkAxis& a, int64_t tile, int64_t step_taps, int64_t row_step) {
  StepSums sums;
  sums.least = std::numeric_limits<int64_t>::max();
  for (int64_t tap = 0; tap < a.kernel; tap += step_taps) {
    const int64_t taps = std::min(step_taps, a.kernel - tap);
    const int64_t steps_before = sums.steps;
    for (int64_t begin = 0; begin < a.out; begin += tile) {
      const int64_t outputs = std::min(tile, a.out - begin);
      const int64_t first = begin * a.stride - a.pad + tap * a.dilation;
      const int64_t last = first + (outputs - 1) * a.stride + (taps - 1) * a.dilation;
      countPlaces(sums, {outputs, taps, first, last}, a, row_step);
    }
    if (sums.steps > steps_before) sums.taps += taps;
  }
  return sums;
}

FloorAxes axesOf(const Geometry& g) {
  return {{g.in_height, g.out_height, g.out_height, g.kernel_height, g.kernel_height, g.stride_y,
           g.dilation_y, g.pad_top, 1},
          {g.in_width, g.out_width, g.out_width, g.kernel_width, g.kernel_width, g.stride_x,
           g.dilation_x, g.pad_left, 1}};
}

AxisUse useOf(const WorkAxis& a, const Pooled& pooled) {
  AxisUse use;
  std::vector<bool> is_read(static_cast<size_t>(a.in), false);
  for (int64_t output = 0; output < a.out; ++output) {
    const int64_t last_window = floorDiv(output + pooled.pad, pooled.stride);
    const int64_t window = std::min(last_window, pooled.out - 1);
    if (window < 0 || window * pooled.stride - pooled.pad + pooled.kernel <= output) continue;
    ++use.outputs;
    for (int64_t tap = 0; tap < a.kernel; ++tap) {
      const int64_t place = output * a.stride - a.pad + tap * a.dilation;
      if (place < 0 || place >= a.in) continue;
      ++use.valid_taps;
      is_read[static_cast<size_t>(place)] = true;
    }
  }
  use.places = std::ranges::count(is_read, true);
  return use;
}

}  // namespace vta::kernel
