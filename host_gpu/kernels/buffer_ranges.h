// Buffers that a device cannot bind at once: they are bound as several ranges, each of which but
// the last has as many bytes as the device binds.
#pragma once

#include <cstdint>

#include "mlir/IR/BuiltinTypes.h"

namespace vta::codegen {

/// Of a kernel's argument: the number of its first range, counted from the buffer's first byte. The
/// argument is to become as many as it has ranges, also if that is one.
inline constexpr const char* kFirstRangeAttr = "vta.first_range";

/// Every GPU proper binds so many ranges at once.
inline constexpr int64_t kMostRanges = 8;

/// Those that have elements of a buffer; the buffer may begin in front of them and end behind.
struct BufferRanges {
  int64_t first = 0;
  int64_t count = 1;

  /// Whether a kernel's argument is just the buffer.
  bool isWhole() const { return first == 0 && count == 1; }
};

/// Of a buffer of static shape and strides. Ranges have `range_bytes`, a multiple of a word.
BufferRanges rangesOf(mlir::MemRefType type, int64_t range_bytes);

/// The same of so many bytes.
int64_t countRanges(uint64_t size_bytes, int64_t range_bytes);

}  // namespace vta::codegen
