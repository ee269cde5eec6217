// The ioctls of zocl that a virtual board answers, written from zocl's interface and not from what
// the driver under test uses.
#pragma once

#include <cstdint>

namespace vta::sim {

/// Of a number of an ioctl, what remains when the size of its argument is left out: the direction
/// (both), the subsystem 'd', and the command of a driver of DRM.
constexpr uint32_t zoclCall(uint32_t command) { return 0xc000'6440u + command; }
/// The part of a request's number that zoclCall makes.
constexpr uint32_t withoutSize(uint32_t request) { return request & 0xc000'ffffu; }
/// Bytes of a request's argument, which its number holds.
constexpr uint32_t sizeOf(uint32_t request) { return request >> 16 & 0x3fffu; }

inline constexpr uint32_t kZoclCreate = zoclCall(0);  ///< Makes a buffer; ZoclCreate
inline constexpr uint32_t kZoclMap = zoclCall(3);  ///< Asks where a buffer can be mapped; ZoclMap
/// Writes caches back or empties them; ZoclSync.
inline constexpr uint32_t kZoclSync = zoclCall(4);
inline constexpr uint32_t kZoclInfo = zoclCall(5);  ///< Asks where a buffer lies; ZoclInfo

/// The argument of kZoclCreate.
struct ZoclCreate {
  uint64_t size;    ///< in bytes; filled in by the caller
  uint32_t handle;  ///< filled in by the driver: of the new buffer
  uint32_t flags;   ///< bit 24: the processor caches it
};

/// The argument of kZoclMap.
struct ZoclMap {
  uint32_t handle;  ///< of a buffer
  uint32_t pad;
  uint64_t offset;  ///< filled in by the driver: what mmap of the device takes
};

/// The argument of kZoclSync.
struct ZoclSync {
  uint32_t handle;     ///< of a buffer
  uint32_t direction;  ///< 0: to the device, 1: from it
  uint64_t offset;     ///< in bytes, from the buffer's begin
  uint64_t size;       ///< in bytes
};

/// The argument of kZoclInfo.
struct ZoclInfo {
  uint32_t handle;   ///< of a buffer
  uint64_t size;     ///< filled in by the driver: bytes
  uint64_t address;  ///< filled in by the driver: what the accelerator's port takes
};

/// Where the one buffer of a virtual board is mapped; far from 0, as the kernel's offsets are.
inline constexpr uint64_t kZoclMapOffset = 0x1'0000'0000;

}  // namespace vta::sim
