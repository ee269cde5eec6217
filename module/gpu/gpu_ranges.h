// What GPUs bind and allocate at once.
#pragma once

#include <cstdint>

#include "base/integer_math.h"

namespace vta {

/// What every GPU binds at once. A larger tensor is bound as ranges that begin at multiples of it,
/// counted from the tensor's first byte.
inline constexpr uint64_t kGpuRangeBytes = uint64_t{1} << 27;

/// What nearly every GPU allocates at once. In a larger arena no range lies across a multiple of
/// kGpuRangeBytes, so that the arena may consist of several buffers.
inline constexpr uint64_t kGpuBufferBytes = uint64_t{1} << 30;

/// The first place from `offset_bytes` on where no range of `size_bytes` lies across a multiple of
/// `range_bytes`.
constexpr uint64_t placeInRanges(uint64_t offset_bytes, uint64_t size_bytes,
                                 uint64_t range_bytes = kGpuRangeBytes) {
  const bool is_across = offset_bytes % range_bytes + size_bytes > range_bytes;
  return is_across ? roundUp(offset_bytes, range_bytes) : offset_bytes;
}

}  // namespace vta
