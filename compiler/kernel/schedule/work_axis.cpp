#include "compiler/kernel/schedule/work_axis.h"

#include <algorithm>

namespace vta::kernel {

RegionAxis::Range WorkAxis::area(int64_t begin, int64_t size) const {
  if (pool == nullptr) return {begin, begin + size};
  RegionAxis::Range area{pool->in, 0};
  for (int64_t q = 0; q < pool->classes(); ++q) {
    const RegionAxis::Range cells = pool->cells(q, begin, size, carries);
    if (cells.begin >= cells.end) continue;
    area.begin = std::min(area.begin, pool->place(q, cells.begin));
    area.end = std::max(area.end, pool->place(q, cells.end - 1) + 1);
  }
  return area;
}

double WorkAxis::computed() const {
  if (pool == nullptr) return static_cast<double>(out);
  int64_t sum = 0;
  for (int64_t begin = 0; begin < out; begin += tile) {
    for (int64_t q = 0; q < pool->classes(); ++q) {
      const RegionAxis::Range cells = pool->cells(q, begin, std::min(tile, out - begin), carries);
      sum += cells.end - cells.begin;
    }
  }
  return static_cast<double>(sum);
}

AxisLoads axisLoads(const WorkAxis& a) {
  AxisLoads loads;
  for (int64_t begin = 0; begin < a.out; begin += a.tile) {
    const RegionAxis::Range area = a.area(begin, std::min(a.tile, a.out - begin));
    const int64_t outputs = area.end - area.begin;
    for (int64_t tap = 0; tap < a.kernel; tap += a.step_taps) {
      const int64_t taps = std::min(a.step_taps, a.kernel - tap);
      const int64_t first = area.begin * a.stride - a.pad + tap * a.dilation;
      if (a.row_step > 1) {
        loads.rows += static_cast<double>(outputs);
      } else {
        const int64_t last = first + (outputs - 1) * a.stride + (taps - 1) * a.dilation;
        loads.rows += static_cast<double>(
            std::max<int64_t>(0, std::min(last, a.in - 1) - std::max<int64_t>(first, 0) + 1));
      }
      loads.pieces += 1;
    }
  }
  return loads;
}

double validTaps(const WorkAxis& a) {
  const int64_t out = a.pool == nullptr ? a.out : a.pool->in;
  int64_t valid = 0;
  for (int64_t tap = 0; tap < a.kernel; ++tap) {
    const int64_t first = a.pad - tap * a.dilation;            // <= out * stride
    const int64_t last = a.in - 1 + a.pad - tap * a.dilation;  // >= out * stride
    if (last < 0) continue;
    const int64_t begin = first <= 0 ? 0 : (first + a.stride - 1) / a.stride;
    valid += std::max<int64_t>(0, std::min(out - 1, last / a.stride) - begin + 1);
  }
  return static_cast<double>(valid);
}

double tapRuns(const WorkAxis& a) {
  int64_t runs = 0;
  for (int64_t begin = 0; begin < a.out; begin += a.tile) {
    const RegionAxis::Range area = a.area(begin, std::min(a.tile, a.out - begin));
    const int64_t before = a.pad - area.begin * a.stride;
    const int64_t after =
        (area.end - 1) * a.stride - a.pad + (a.kernel - 1) * a.dilation - (a.in - 1);
    const auto cut = [&](int64_t overhang) {
      return std::clamp<int64_t>((overhang + a.dilation - 1) / a.dilation, 0, a.kernel);
    };
    const int64_t steps = (a.kernel + a.step_taps - 1) / a.step_taps;
    runs += std::clamp<int64_t>(cut(before) + cut(after) + 1, steps, a.kernel);
  }
  return static_cast<double>(runs);
}

}  // namespace vta::kernel
