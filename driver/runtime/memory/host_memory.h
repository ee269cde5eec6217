// HostMemory: the host's memory behind the interface that every machine's has.
#pragma once

#include <map>
#include <string>

#include "base/bytes/aligned_bytes.h"
#include "driver/memory_device.h"

namespace vta::driver {

/// Addresses are pointers, and all of it is mapped.
class HostMemory final : public MemoryDevice {
 public:
  const std::string& name() const override { return name_; }
  uint64_t alignmentBytes() const override { return vta::kHostAlignmentBytes; }
  Result<DeviceBuffer> allocate(uint64_t size_bytes, uint64_t alignment_bytes) override;
  Status free(const DeviceBuffer& buffer) override;
  Status write(uint64_t address, std::span<const std::byte> data) override;
  Status read(uint64_t address, std::span<std::byte> data) override;
  std::byte* map(const DeviceBuffer& buffer) override;

 private:
  struct Block {
    uint64_t size_bytes = 0;
    AlignedBytes bytes;
  };
  /// Where [address, address + size_bytes) is; null if it is not inside of one buffer.
  std::byte* find(uint64_t address, uint64_t size_bytes) const;

  std::string name_ = "host";
  std::map<uint64_t, Block> blocks_;  // by address
};

}  // namespace vta::driver
