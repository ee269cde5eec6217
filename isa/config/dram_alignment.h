// How buffers are aligned that the accelerator addresses in elements.
#pragma once

#include <algorithm>
#include <cstdint>

#include "isa/config/hw_config.h"

namespace vta {

/// Bytes of the largest element of any memory of `hw`: a power of two.
inline uint64_t largestElemBytes(const HwConfig& hw) {
  uint64_t largest_bytes = 1;
  for (int type = 0; type < kMemoryTypeCount; ++type) {
    largest_bytes = std::max<uint64_t>(largest_bytes, hw.elemBytes(static_cast<MemoryType>(type)));
  }
  return largest_bytes;
}

/// A page, or an element where that is larger: the alignment of a buffer for any type of element.
inline uint64_t dramAlignmentBytes(const HwConfig& hw) {
  constexpr uint64_t kPageBytes = 4096;
  return std::max(kPageBytes, largestElemBytes(hw));
}

}  // namespace vta
