// RegionSource: the region of the input that a reduction step reads, in the scratchpad.
// RegionSupplier: what fills it where no LOAD does.
#pragma once

#include <cstdint>

#include "compiler/kernel/desc/tiling.h"
#include "compiler/kernel/primitives/transfer.h"
#include "isa/config/hw_config.h"

namespace vta::kernel {

/// The region of the input that a reduction step reads, as it lies in a scratchpad.
struct RegionSource {
  uint32_t base = 0;
  Region region;
  bool padded = false;  // padding is present in the scratchpad; else only valid rows and columns

  int64_t rows() const { return padded ? region.rows.size : region.rows.validSize(); }
  int64_t cols() const { return padded ? region.cols.size : region.cols.validSize(); }
  int64_t blockElems() const { return rows() * cols(); }
  /// Elements from `base` to a row and column of the region.
  int64_t offset(int64_t row, int64_t col) const;
  /// Gives the transfer of a block's whole valid part the padding around it, if the scratchpad has
  /// padding. `pad_value` is one that LOADs of `hw` write (loadedPadding).
  void addPadding(Transfer& transfer, int64_t pad_value, const HwConfig& hw) const;
};

/// Makes regions that come from no DRAM.
class RegionSupplier {
 public:
  virtual ~RegionSupplier() = default;
  /// Fills `source` for a step of a tile of the kernel that reads it.
  virtual void supply(const Tile& tile, const Step& step, const RegionSource& source) = 0;
};

}  // namespace vta::kernel
