// Which outputs of a kernel are stored where, along rows or columns: Geometry's interleave, crops
// and border.
#pragma once

#include <cstdint>
#include <vector>

#include "compiler/kernel/desc/kernel_desc.h"

namespace vta::kernel {

/// Outputs [first, first + count) that are stored at stored, stored + interleave, ...
struct StoredRun {
  int64_t first = 0, count = 0, stored = 0;
  bool operator==(const StoredRun&) const = default;
};

/// Rows or columns of a kernel's outputs, and where they are stored.
struct StoredAxis {
  int64_t outputs = 1;     // of the kernel
  int64_t interleave = 1;  // places of each output
  int64_t crop_low = 0;    // of the outputs' places, those before the first stored one
  int64_t extent = 1;      // stored rows or columns
  Border border = Border::kEdge;

  /// The place, of the outputs * interleave ones, that is stored at `stored`.
  int64_t placeAt(int64_t stored) const;
  /// Where outputs [first, first + count) are stored that belong to place `place` of each output's
  /// `interleave`: as few runs as possible, in the order of what is stored.
  std::vector<StoredRun> runs(int64_t first, int64_t count, int64_t place) const;

 private:
  bool extends() const { return crop_low < 0 || crop_low + extent > outputs * interleave; }
};

StoredAxis storedRows(const Geometry& geometry);
StoredAxis storedColumns(const Geometry& geometry);

}  // namespace vta::kernel
