// SkeletonMemory: the memory of a machine that is not there, for tests, and to copy from.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "driver/memory_device.h"

namespace vta::driver::test {

/// The host cannot map it, and its addresses are no pointers. It counts what is copied, and fails
/// once two threads use it at a time.
class SkeletonMemory final : public MemoryDevice {
 public:
  explicit SkeletonMemory(std::string name = "skeleton:0") : name_(std::move(name)) {}

  const std::string& name() const override { return name_; }
  uint64_t alignmentBytes() const override { return 256; }
  Result<DeviceBuffer> allocate(uint64_t size_bytes, uint64_t alignment_bytes) override;
  Status free(const DeviceBuffer& buffer) override;
  Status write(uint64_t address, std::span<const std::byte> data) override;
  Status read(uint64_t address, std::span<std::byte> data) override;

  /// What lies at an address, for its machine. Errors: no such bytes.
  Result<std::span<std::byte>> bytesAt(uint64_t address, uint64_t size_bytes);

  /// Held while the machine or the host uses the memory. Errors: it is in use.
  class Use {
   public:
    explicit Use(SkeletonMemory& memory)
        : memory_(memory), is_first_(!memory.is_used_.exchange(true)) {}
    ~Use() {
      if (is_first_) memory_.is_used_ = false;
    }
    Use(const Use&) = delete;
    Use& operator=(const Use&) = delete;
    Status status() const;

   private:
    SkeletonMemory& memory_;
    bool is_first_;
  };

  uint64_t written_bytes = 0;
  uint64_t read_bytes = 0;
  int writes = 0;
  int reads = 0;
  bool loses_writes = false;  // they fail
  bool loses_reads = false;
  bool flips_reads = false;            // a bit of them is wrong
  std::chrono::microseconds delay{0};  // of every use
  uint64_t capacity_bytes = uint64_t{1} << 24;

  size_t bufferCount() const { return buffers_.size(); }

 private:
  std::string name_;
  std::atomic<bool> is_used_ = false;
  std::map<uint64_t, std::vector<std::byte>> buffers_;  // by address
  uint64_t next_address_ = uint64_t{1} << 40;
};

}  // namespace vta::driver::test
