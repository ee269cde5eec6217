// Buffers that a device cannot bind at once are bound as several ranges. Each range but the last
// has as many bytes as the device binds.
#pragma once

#include <cstdint>

#include "mlir/IR/BuiltinTypes.h"

namespace vta::codegen {

/// An attribute of a kernel's argument: the number of the first range that the kernel uses, counted
/// from the buffer's first byte. gpu-split-buffers makes an argument of each range, also of one.
inline constexpr const char* kFirstRangeAttr = "vta.first_range";

/// Every GPU proper binds so many ranges at once.
inline constexpr int64_t kMostRanges = 8;

/// The ranges that have elements of a buffer's type: a view may leave out ranges in front.
struct BufferRanges {
  int64_t first = 0;
  int64_t count = 1;

  /// Whether a kernel's argument is just the buffer.
  bool isWhole() const { return first == 0 && count == 1; }
};

/// Of a buffer of static shape and strides. Ranges have `range_bytes`, a multiple of a word.
BufferRanges rangesOf(mlir::MemRefType type, int64_t range_bytes);

}  // namespace vta::codegen
