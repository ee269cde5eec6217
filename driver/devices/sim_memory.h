// Device memory of simulators: an address space on the host with an allocator.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/status.h"
#include "driver/device.h"
#include "sim/common/dram.h"

namespace vta::driver {

/// Between the buffers of devices that have timing: more than a burst, so that the first access
/// past an end hits no other buffer. Equal for all of them, because times depend on addresses.
inline constexpr uint64_t kTimedGuardBytes = 4096;

/// `size_bytes` of zeroed memory at addresses [0, size_bytes), reserved lazily: only touched pages
/// take host memory. Unallocated memory is always zero. Address 0 is given out by allocateAt only,
/// so that a forgotten address faults. The methods are those of Device, with its errors.
class SimMemory final : public sim::Dram {
 public:
  /// `track_writes`: remember which bytes were ever written (checked mode). allocate() leaves at
  /// least `guard_bytes` unallocated behind each buffer.
  /// Errors: kResourceExhausted when the host gives no address space.
  static Result<std::unique_ptr<SimMemory>> create(uint64_t size_bytes, bool track_writes,
                                                   uint64_t guard_bytes = 0);
  ~SimMemory() override;
  SimMemory(const SimMemory&) = delete;
  SimMemory& operator=(const SimMemory&) = delete;

  Result<DeviceBuffer> allocate(uint64_t size_bytes, uint64_t alignment_bytes);
  Result<DeviceBuffer> allocateAt(uint64_t address, uint64_t size_bytes);
  Status free(const DeviceBuffer& buffer);
  Status write(uint64_t address, std::span<const std::byte> data);
  Status read(uint64_t address, std::span<std::byte> data) const;
  std::byte* map(const DeviceBuffer& buffer);

  /// All buffers, by address.
  std::vector<sim::DramRange> buffers() const;

  /// Ok when the range lies in one buffer.
  Status checkRange(uint64_t address, uint64_t size_bytes) const;

  std::optional<sim::DramRange> findRange(uint64_t address) const override;
  uint64_t writtenPrefix(uint64_t address, uint64_t size_bytes) const override;
  void markWritten(uint64_t address, uint64_t size_bytes) override;

 private:
  SimMemory(std::byte* data, uint64_t size_bytes, bool track_writes, uint64_t guard_bytes)
      : data_(data),
        size_bytes_(size_bytes),
        track_writes_(track_writes),
        guard_bytes_(guard_bytes) {}

  void insert(uint64_t address, uint64_t size_bytes);
  void clear(uint64_t address, uint64_t size_bytes);
  void markUnwritten(uint64_t address, uint64_t size_bytes);
  uint64_t freeBytes() const;

  std::byte* data_;
  uint64_t size_bytes_;
  bool track_writes_;
  uint64_t guard_bytes_;
  std::map<uint64_t, uint64_t> buffers_;  // begin to end
  std::map<uint64_t, uint64_t> written_;  // disjoint, not adjacent intervals
  mutable sim::DramRange last_found_;
};

}  // namespace vta::driver
