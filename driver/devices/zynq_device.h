// The core on a Zynq or ZynqMP board, from Linux on the board itself.
#pragma once

#include <cstdint>
#include <memory>

#include "driver/board/board_options.h"
#include "driver/board/core_device.h"
#include "driver/board/memory/dma_memory.h"
#include "driver/board/range_allocator.h"
#include "driver/board/uio.h"
#include "driver/device.h"

namespace vta::driver {

/// The core of this project, or the four blocks of VTA 0.0.2 (options.map), which have no interrupt
/// and no counters. Registers and interrupt through UIO, memory from u-dma-buf (docs/boards.md).
/// One process at a time has the device. Buffers begin at cache lines; ranges that flush and
/// invalidate are given should, too, since caches know only whole lines.
class ZynqDevice final : public CoreDevice {
 public:
  /// Opens and probes the board: what is wrong with the set-up is named, with a remedy. A launch of
  /// a process that died is waited for.
  static Result<std::unique_ptr<Device>> create(const HwConfig& hw, const BoardOptions& options);

  /// What the board's core is. Errors: those of create until the core is identified.
  static Result<HwConfig> configuration(const BoardOptions& options);

  Result<DeviceBuffer> allocate(uint64_t size_bytes, uint64_t alignment_bytes) override;
  Status free(const DeviceBuffer& buffer) override { return ranges_.free(buffer); }
  Status write(uint64_t address, std::span<const std::byte> data) override;
  Status read(uint64_t address, std::span<std::byte> data) override;
  std::byte* map(const DeviceBuffer& buffer) override;
  Status flush(uint64_t address, uint64_t size_bytes) override;
  Status invalidate(uint64_t address, uint64_t size_bytes) override;
  Status testInterrupt() override;

 private:
  ZynqDevice(DeviceInfo info, std::unique_ptr<CoreMap> core, BoardOptions options, Uio uio,
             DmaMemory memory);
  Status probe();
  Result<uint64_t> keep(std::span<const std::byte> bytes);
  Status probeClock() const;
  Status checkRange(uint64_t address, uint64_t size_bytes) const override {
    return ranges_.checkRange(address, size_bytes);
  }
  Status prepareLaunch() override;
  Status sleep(Time start, Time deadline) override;

  BoardOptions options_;
  Uio uio_;
  DmaMemory memory_;
  RangeAllocator ranges_;
};

}  // namespace vta::driver
