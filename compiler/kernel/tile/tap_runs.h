// Runs of a reduction step's taps that reach the same outputs.
#pragma once

#include "compiler/kernel/desc/tiling.h"

namespace vta::kernel {

/// Calls `visit(ky, kx)` for each pair of runs of rows and of columns.
template <typename Visit>
void forEachTapRun(const Tile& tile, const Step& step, const Region& region, const Visit& visit) {
  for (int64_t y = 0; y < step.kernel_height;) {
    const TapRun ky = tapRun(region.rows, y, step.kernel_height, tile.height);
    for (int64_t x = 0; x < step.kernel_width;) {
      const TapRun kx = tapRun(region.cols, x, step.kernel_width, tile.width);
      visit(ky, kx);
      x = kx.end;
    }
    y = ky.end;
  }
}

}  // namespace vta::kernel
