#include "compiler/kernel/tile/region_source.h"

#include "compiler/kernel/emit/tile_job.h"

namespace vta::kernel {

int64_t RegionSource::offset(int64_t row, int64_t col) const {
  const int64_t first_row = padded ? 0 : region.rows.valid_begin;
  const int64_t first_col = padded ? 0 : region.cols.valid_begin;
  return (row - first_row) * cols() + (col - first_col);
}

void RegionSource::addPadding(Transfer& transfer, int64_t pad_value, const HwConfig& hw) const {
  if (!padded) return;
  transfer.pad_top = u32(region.rows.padBefore());
  transfer.pad_bottom = u32(region.rows.padAfter());
  transfer.pad_left = u32(region.cols.padBefore());
  transfer.pad_right = u32(region.cols.padAfter());
  // A region that lies inside has no padding.
  transfer.pad_kind = region.isInside() ? PadKind::kZero : *loadedPadding(pad_value, hw);
}

}  // namespace vta::kernel
