// The core of this project behind its registers: identification, launches, results.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "base/status.h"
#include "driver/board/core_map.h"
#include "driver/board/mapping.h"
#include "driver/device.h"
#include "isa/registers/counters.h"
#include "isa/registers/identity.h"
#include "isa/registers/registers.h"

namespace vta::driver {

/// Programs the registers of docs/isa.md, "Control registers". Writes only what has changed, since
/// an access of the programmable logic takes a fifth of a microsecond.
class Core final : public CoreMap {
 public:
  /// `registers` must outlive the core.
  explicit Core(const Registers& registers) : registers_(registers) {}
  explicit Core(std::unique_ptr<const Registers> registers)
      : owned_(std::move(registers)), registers_(*owned_) {}

  HardwareIdentity identity() const;

  /// Ok when the hardware runs programs for `hw`. Errors: nothing answers, something else does,
  /// another configuration; both configurations are named.
  Status identify(const HwConfig& hw) const override;

  /// A configuration whose programs the hardware runs, from its registers. Errors: as identify;
  /// those of configurationOf.
  Result<HwConfig> configuration() const;

  CoreStatus status() const override;

  /// Enables the core's interrupt and acknowledges an old one.
  void initialise() override;
  bool hasInterrupt() const override { return true; }
  void acknowledgeInterrupt() const override;
  bool interruptPending() const override;
  void startBadLaunch() override;

  Status start(const Launch& launch) override;
  bool canStop() const override { return true; }
  void stop() override { registers_.write(reg::kControl, reg::kControlReset); }
  std::string progress() const override;
  LaunchCounters counters() const override;
  reg::FaultCode faultCode() const override;
  uint32_t faultInstruction() const override;

 private:
  void set(uint32_t offset, uint32_t value);
  void launch(const Launch& launch);

  std::unique_ptr<const Registers> owned_;  // null when someone else owns them
  const Registers& registers_;
  std::map<uint32_t, uint32_t> written_;  // values of registers that keep them
};

}  // namespace vta::driver
