// LoadedCode: instructions and micro-ops in a device's memory, ready to run.
#pragma once

#include <chrono>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/status.h"
#include "driver/device.h"
#include "isa/program/encoded_program.h"

namespace vta::driver {

/// Encoded instructions and micro-ops in a device's memory, bound to the addresses of their data
/// buffers. Owns that memory and frees it; the device must outlive it. Data buffers belong to the
/// caller. Move-only.
class LoadedCode {
 public:
  static constexpr std::chrono::milliseconds kDefaultTimeout{60'000};

  /// Copies `program`, which need not live on. `buffer_addresses[i]` is the device address of
  /// program.buffers[i]; the entry of the micro-op buffer is ignored. Errors: kInvalidArgument for
  /// another configuration's program, a wrong number of addresses or a misaligned one;
  /// kResourceExhausted without room on the device.
  static Result<LoadedCode> load(Device& device, const EncodedProgram& program,
                                 std::span<const uint64_t> buffer_addresses);

  LoadedCode(LoadedCode&& other) noexcept;
  LoadedCode& operator=(LoadedCode&& other) noexcept;
  ~LoadedCode();

  const Launch& launch() const { return launch_; }

  /// Submits and waits. A fault is kDeviceFault with the instruction's number, its symbol, its
  /// disassembly and the reason. Other errors are those of Device::submit and Device::wait. The
  /// result never has a fault.
  Result<LaunchResult> execute(std::chrono::milliseconds timeout = kDefaultTimeout);

  /// The message for `fault` of these instructions.
  std::string describe(const Fault& fault) const;

 private:
  explicit LoadedCode(Device& device) : device_(&device) {}
  Status place(const EncodedProgram& program, std::span<const uint64_t> buffer_addresses);
  Result<uint64_t> upload(std::span<const std::byte> data, uint64_t alignment_bytes,
                          DeviceBuffer& buffer);
  void release();

  Device* device_;
  std::vector<Symbol> symbols_;
  Launch launch_;
  DeviceBuffer instructions_;  // size 0: none
  DeviceBuffer uops_;
};

/// Ok when programs with this encoding and fingerprint run on `hw`.
Status checkProgramFits(Encoding encoding, uint64_t hw_fingerprint, const HwConfig& hw);

}  // namespace vta::driver
