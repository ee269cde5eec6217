// The ioctls of zocl that a virtual board answers, written from zocl's interface and not from what
// the driver under test uses.
#pragma once

#include <cstdint>

namespace vta::sim {

/// Of a number of an ioctl, what remains when the size of its argument is left out: the direction
/// (both), the subsystem 'd', and the command of a driver of DRM.
constexpr uint32_t zoclCall(uint32_t command) { return 0xc000'6440u + command; }
constexpr uint32_t withoutSize(uint32_t request) { return request & 0xc000'ffffu; }
constexpr uint32_t sizeOf(uint32_t request) { return request >> 16 & 0x3fffu; }

inline constexpr uint32_t kZoclCreate = zoclCall(0);
inline constexpr uint32_t kZoclMap = zoclCall(3);
inline constexpr uint32_t kZoclSync = zoclCall(4);
inline constexpr uint32_t kZoclInfo = zoclCall(5);

struct ZoclCreate {
  uint64_t size;
  uint32_t handle;
  uint32_t flags;
};

struct ZoclMap {
  uint32_t handle;
  uint32_t pad;
  uint64_t offset;
};

struct ZoclSync {
  uint32_t handle;
  uint32_t direction;  // 0: to the device, 1: from it
  uint64_t offset;
  uint64_t size;
};

struct ZoclInfo {
  uint32_t handle;
  uint64_t size;
  uint64_t address;
};

/// Where the one buffer of a virtual board is mapped; far from 0, as the kernel's offsets are.
inline constexpr uint64_t kZoclMapOffset = 0x1'0000'0000;

}  // namespace vta::sim
