// What GPUs bind and allocate at once.
#pragma once

#include <cstdint>

namespace vta {

/// What every GPU binds at once. A larger tensor is bound as ranges that begin at multiples of it,
/// counted from the tensor's first byte.
inline constexpr uint64_t kGpuRangeBytes = uint64_t{1} << 27;

/// What nearly every GPU allocates at once. In a larger arena no range lies across a multiple of
/// kGpuRangeBytes, so that the arena may consist of several buffers.
inline constexpr uint64_t kGpuBufferBytes = uint64_t{1} << 30;

}  // namespace vta
