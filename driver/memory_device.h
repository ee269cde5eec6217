// MemoryDevice: a memory of a machine, as the host uses it.
//
// Every machine that a session uses has one: accelerators are Devices (driver/device.h), which add
// launches; the host's own is driver/runtime/memory/host_memory.h. Errors are Status values. A
// memory may be used by one thread at a time, except through the pointers that map() gives.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>

#include "base/status.h"

namespace vta::driver {

/// A range of a memory. Owned by the memory until freed.
struct DeviceBuffer {
  uint64_t address = 0;  // as the machine sees it
  uint64_t size_bytes = 0;
};

class Device;
class GpuDevice;

class MemoryDevice {
 public:
  virtual ~MemoryDevice() = default;

  /// For errors: "host", "functional", ...
  virtual const std::string& name() const = 0;

  /// What addresses of tensors are multiples of, for the machine: a power of two.
  virtual uint64_t alignmentBytes() const = 0;

  /// Allocates memory, zero-filled. `alignment_bytes` is a power of two.
  /// Errors: kResourceExhausted with the requested and the free size.
  virtual Result<DeviceBuffer> allocate(uint64_t size_bytes, uint64_t alignment_bytes) = 0;

  /// A larger buffer may consist of several. Then only ranges of such a buffer have a place that
  /// lie across no multiple of kGpuRangeBytes from its beginning (module/gpu/gpu_ranges.h).
  virtual uint64_t largestBufferBytes() const { return UINT64_MAX; }

  /// Releases a buffer that this memory has allocated. Errors: kInvalidArgument if it has not.
  virtual Status free(const DeviceBuffer& buffer) = 0;

  /// Copies from the host, and to it. The range must lie inside one allocated buffer.
  virtual Status write(uint64_t address, std::span<const std::byte> data) = 0;
  virtual Status read(uint64_t address, std::span<std::byte> data) = 0;

  /// Whether write() and read() may be called by one thread while another one has the machine work.
  virtual bool copiesBesideWork() const { return false; }

  /// Host pointer to a buffer, valid until the buffer is freed; nullptr where the host cannot reach
  /// it. Call flush after writing through it and invalidate before reading.
  virtual std::byte* map(const DeviceBuffer& buffer);
  virtual Status flush(uint64_t address, uint64_t size_bytes);
  virtual Status invalidate(uint64_t address, uint64_t size_bytes);

  /// The accelerator that this is; null: none. In place of a cast, which fails for classes that are
  /// compiled without run-time types.
  virtual Device* asDevice() { return nullptr; }
  /// The GPU that this is; null: none.
  virtual GpuDevice* asGpuDevice() { return nullptr; }
};

/// A buffer that is freed when it goes out of scope. The memory must outlive it.
class OwnedDeviceBuffer {
 public:
  OwnedDeviceBuffer() = default;
  OwnedDeviceBuffer(MemoryDevice* memory, DeviceBuffer buffer) : memory_(memory), buffer_(buffer) {}
  OwnedDeviceBuffer(OwnedDeviceBuffer&& other) noexcept { *this = std::move(other); }
  OwnedDeviceBuffer& operator=(OwnedDeviceBuffer&& other) noexcept;
  ~OwnedDeviceBuffer();

  const DeviceBuffer& get() const { return buffer_; }

 private:
  MemoryDevice* memory_ = nullptr;
  DeviceBuffer buffer_;
};

}  // namespace vta::driver
