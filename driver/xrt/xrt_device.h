// The core as a kernel on a card, through XRT.
#pragma once

#include <cstdint>
#include <memory>

#include "driver/board/core_device.h"
#include "driver/xrt/card.h"
#include "driver/xrt/card_memory.h"

namespace vta::driver {

/// Registers through xrt::ip, memory through xrt::bo (docs/xrt.md). The kernel is user managed: XRT
/// neither starts it nor takes its interrupt, so the end of a launch is found by polling. One
/// process at a time has the core.
class XrtDevice final : public CoreDevice {
 public:
  /// Opens the card and probes the core: what is wrong with the set-up is named, with a remedy. A
  /// launch of a process that died is waited for.
  static Result<std::unique_ptr<Device>> create(const HwConfig& hw, const CardOptions& options);

  /// What the card's core is. Errors: those of create until the core is identified.
  static Result<HwConfig> configuration(const CardOptions& options);

  Result<DeviceBuffer> allocate(uint64_t size_bytes, uint64_t alignment_bytes) override;
  Status free(const DeviceBuffer& buffer) override { return memory_.free(buffer); }
  Status write(uint64_t address, std::span<const std::byte> data) override;
  Status read(uint64_t address, std::span<std::byte> data) override;
  std::byte* map(const DeviceBuffer& buffer) override;
  Status flush(uint64_t address, uint64_t size_bytes) override;
  Status invalidate(uint64_t address, uint64_t size_bytes) override;

 private:
  XrtDevice(const DeviceInfo& info, const CardOptions& options, Card card);
  XrtDevice(const DeviceInfo& info, const CardOptions& options, Card&& card,
            const CardRegisters& registers);
  Status checkRange(uint64_t address, uint64_t size_bytes) const override {
    return memory_.checkRange(address, size_bytes);
  }
  Status sleep(Time start, Time deadline) override;
  Status accessStatus() const override { return registers_.status(); }

  const CardRegisters& registers_;  // the core owns them
  CardMemory memory_;
};

}  // namespace vta::driver
