// GpuMemory: the memory half of a GpuDevice, over buffers that a driver interface makes, and what
// the GPU says of itself.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/status.h"
#include "driver/gpu/gpu_device.h"

namespace vta::driver {

/// One allocation of a driver interface, freed with the object. Ranges lie inside.
class GpuBuffer {
 public:
  virtual ~GpuBuffer() = default;
  virtual Status write(uint64_t offset_bytes, std::span<const std::byte> data) = 0;
  virtual Status read(uint64_t offset_bytes, std::span<std::byte> data) = 0;
  /// Its first byte, for the host; null where the host cannot reach it, or only slowly.
  virtual std::byte* view() { return nullptr; }
};

/// Gives buffers addresses of a space of its own, so that all interfaces are used alike; none is
/// used a second time.
class GpuMemory : public GpuDevice {
 public:
  const std::string& name() const override { return name_; }
  const GpuDeviceInfo& info() const override { return info_; }
  uint64_t usedBytes() const override { return used_bytes_; }
  void dropFeatures(GpuFeatures features) override;
  void lowerLimits(const GpuLimits& limits) override { info_.limits = limits; }
  std::vector<std::string> takeNotes() override;
  Result<DeviceBuffer> allocate(uint64_t size_bytes, uint64_t alignment_bytes) override;
  Status free(const DeviceBuffer& buffer) override;
  Status write(uint64_t address, std::span<const std::byte> data) override;
  Status read(uint64_t address, std::span<std::byte> data) override;
  std::byte* map(const DeviceBuffer& buffer) override;
  uint64_t largestBufferBytes() const override { return info_.limits.max_buffer_bytes; }

 protected:
  explicit GpuMemory(const GpuDeviceInfo& info);

  /// A buffer of zeros, not empty, whose first byte is as well aligned as kernels need. Errors:
  /// kResourceExhausted.
  virtual Result<std::unique_ptr<GpuBuffer>> createBuffer(uint64_t size_bytes) = 0;

  /// The notes of the cache of its kernels.
  virtual std::vector<std::string> takeKernelNotes() = 0;

  /// Ok if nothing keeps the host from using the memory, such as a kernel that does not end.
  virtual Status checkIdle() = 0;

  struct Place {
    GpuBuffer* buffer = nullptr;
    uint64_t offset_bytes = 0;
    uint64_t rest_bytes = 0;  // of the buffer, from the offset on
  };
  /// The buffer of a range. Errors: kInvalidArgument if it was not allocated; kUnsupported if it
  /// lies in two buffers.
  Result<Place> find(uint64_t address, uint64_t size_bytes) const;

 private:
  /// What was allocated at once: buffers of equal size one behind the other, but for the last.
  struct Block {
    uint64_t size_bytes = 0;
    uint64_t buffer_bytes = 0;  // of all but the last
    std::vector<std::unique_ptr<GpuBuffer>> buffers{};
  };
  struct BlockPlace {
    const Block* block = nullptr;
    uint64_t offset_bytes = 0;
  };
  Result<Block> createBlock(uint64_t whole_bytes);
  Result<BlockPlace> findBlock(uint64_t address, uint64_t size_bytes) const;
  /// Calls `use` with each buffer of a range, an offset in it, and what of the range lies there.
  template <typename Bytes, typename Use>
  Status forEachBuffer(uint64_t address, Bytes data, const Use& use) const;

  std::string name_;  // for errors
  GpuDeviceInfo info_;
  std::vector<std::string> notes_;
  std::map<uint64_t, Block> blocks_;  // by address
  uint64_t used_bytes_ = 0;
  uint64_t next_address_ = uint64_t{1} << 32;
};

}  // namespace vta::driver
