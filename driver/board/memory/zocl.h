// What this driver uses of zocl, XRT's driver for the processors of Zynq boards: buffers of
// contiguous memory. Numbers and structures are those of its ioctls.
#pragma once

#include <sys/ioctl.h>

#include <cstdint>

namespace vta::driver::zocl {

/// The processor may cache the buffer. Without it the buffer is not cached, and reads are slow.
inline constexpr uint32_t kCacheable = 1u << 24;

struct CreateBuffer {
  uint64_t size = 0;
  uint32_t handle = 0;  // the answer
  uint32_t flags = 0;   // with the number of a memory bank, of which 0 is the processor's
};

struct MapBuffer {
  uint32_t handle = 0;
  uint32_t padding = 0;
  uint64_t offset = 0;  // the answer: for mmap
};

enum class Direction : uint32_t { kToDevice = 0, kFromDevice = 1 };

struct SyncBuffer {
  uint32_t handle = 0;
  Direction direction = Direction::kToDevice;
  uint64_t offset = 0;
  uint64_t size = 0;
};

struct BufferInfo {
  uint32_t handle = 0;
  uint32_t padding = 0;
  uint64_t size = 0;     // the answer
  uint64_t address = 0;  // the answer: the physical one
};

static_assert(sizeof(CreateBuffer) == 16 && sizeof(MapBuffer) == 16 && sizeof(SyncBuffer) == 24 &&
              sizeof(BufferInfo) == 24);

/// Drivers of the subsystem DRM number their own commands from here on.
inline constexpr char kDrm = 'd';
inline constexpr unsigned kFirst = 0x40;

inline constexpr unsigned long kCreateBuffer = _IOWR(kDrm, kFirst + 0, CreateBuffer);
inline constexpr unsigned long kMapBuffer = _IOWR(kDrm, kFirst + 3, MapBuffer);
inline constexpr unsigned long kSyncBuffer = _IOWR(kDrm, kFirst + 4, SyncBuffer);
inline constexpr unsigned long kBufferInfo = _IOWR(kDrm, kFirst + 5, BufferInfo);

}  // namespace vta::driver::zocl
