// Device: the contract that every backend (simulators, boards, remote servers) implements.
//
// A device owns a byte-addressed memory and runs instruction streams that lie in it. Errors are
// Status values; nothing here prints or exits. A Device may be used by one thread at a time;
// different devices, also of different configurations, are independent of each other.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/status.h"
#include "driver/memory_device.h"
#include "isa/config/hw_config.h"
#include "isa/launch/fault.h"
#include "isa/launch/recording.h"
#include "isa/registers/counters.h"

namespace vta::driver {

/// What a backend can do. A `false` carries its permanent reason in DeviceInfo::limitations.
struct Capabilities {
  bool values = true;            // moves data; false for timing-only backends
  bool cycles = false;           // counters.cycles is meaningful
  bool mappable_memory = false;  // map() gives a host pointer
  bool fixed_addresses = false;  // allocateAt() works
  bool clears_tokens = true;     // tokens that a launch leaves over do not reach the next one
};

struct DeviceInfo {
  std::string name;  // "functional", "cycle", "rtl", "zynq:/dev/...", ...
  HwConfig hw;
  Capabilities capabilities;
  std::string limitations;  // one sentence for each missing capability
};

/// One launch: an encoded instruction stream in device memory and the base registers that are added
/// to every DRAM address of the matching memory type (docs/isa.md; ACC serves ACC_8BIT too).
struct Launch {
  uint64_t instruction_address = 0;
  uint32_t instruction_count = 0;
  uint64_t uop_base = 0;
  uint64_t inp_base = 0;
  uint64_t wgt_base = 0;
  uint64_t acc_base = 0;
  uint64_t out_base = 0;

  bool operator==(const Launch&) const = default;
};

/// The base register that is added to addresses of `type`; without a meaning if it is on the chip.
uint64_t baseAddress(const Launch& launch, MemoryType type);

/// Outcome of a finished launch. With `fault`, memory holds what had been stored before it.
struct LaunchResult {
  LaunchCounters counters;
  std::optional<Fault> fault;
  std::shared_ptr<const Recording> trace;  // null unless tracing is on
};

/// What launches record.
enum class Tracing : uint8_t {
  kOff,
  kInstructions,  // when instructions ran; a device may record more
  kAll,           // bursts, too
};

class Device : public MemoryDevice {
 public:
  virtual const DeviceInfo& info() const = 0;

  const std::string& name() const override { return info().name; }
  Device* asDevice() final { return this; }

  /// That of the largest element, in which the accelerator counts addresses.
  uint64_t alignmentBytes() const override;

  /// Allocates the range [address, address + size_bytes). Only with capability fixed_addresses.
  virtual Result<DeviceBuffer> allocateAt(uint64_t address, uint64_t size_bytes);

  /// Starts a launch. One at a time; a second submit before wait is kInvalidArgument.
  virtual Status submit(const Launch& launch) = 0;

  /// Waits for the submitted launch. Errors: kDeadlineExceeded after `timeout` (the launch goes on
  /// and may be waited for again); failures of the transport. A fault of the program is not an
  /// error of wait: it is in the result.
  virtual Result<LaunchResult> wait(std::chrono::milliseconds timeout) = 0;

  /// Instructions of the submitted launch that are done: for those who show how far it is, from any
  /// thread. 0 from devices that do not know.
  virtual uint32_t executedInstructions() const { return 0; }

  /// Which events launches record from now on. Errors: kUnsupported from devices that cannot.
  virtual Status setTracing(Tracing tracing);

  /// Reads the identification of the hardware again and compares it with info().hw. Errors:
  /// kUnsupported when they differ. Ok from devices that are what they were created as.
  virtual Status identify();

  /// Makes the hardware raise its interrupt and waits for it; no launch may be submitted. Errors:
  /// kUnsupported from devices that have none; kDeadlineExceeded when it does not arrive.
  virtual Status testInterrupt();

  /// Returns the device to its state after creation, memory contents and allocations kept.
  virtual Status reset() = 0;
};

}  // namespace vta::driver
