// Places a program in device memory and runs it.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "base/status.h"
#include "driver/device.h"
#include "program/program.h"

namespace vta::driver {

/// A program whose instructions and micro-ops lie in a device's memory, bound to the addresses of
/// its data buffers. Owns that memory and frees it; the device must outlive it. Data buffers belong
/// to the caller. Move-only.
class LoadedProgram {
 public:
  static constexpr std::chrono::milliseconds kDefaultTimeout{60'000};

  /// `buffer_addresses[i]` is the device address of program.buffers[i]; the entry of the micro-op
  /// buffer is ignored. Errors: kInvalidArgument for another configuration's program, a wrong
  /// number of addresses or a misaligned one; kResourceExhausted without room on the device.
  static Result<LoadedProgram> load(Device& device, Program program,
                                    std::span<const uint64_t> buffer_addresses);

  LoadedProgram(LoadedProgram&& other) noexcept;
  LoadedProgram& operator=(LoadedProgram&& other) noexcept;
  ~LoadedProgram();

  const Launch& launch() const { return launch_; }
  const Program& program() const { return program_; }

  /// Submits and waits. A fault is kDeviceFault with the instruction's number, its symbol, its
  /// disassembly and the reason. Other errors are those of Device::submit and Device::wait.
  Result<Counters> run(std::chrono::milliseconds timeout = kDefaultTimeout);

  /// The same with all that the device reports. Never has a fault.
  Result<LaunchResult> execute(std::chrono::milliseconds timeout = kDefaultTimeout);

  /// The message for `fault` of this program.
  std::string describe(const Fault& fault) const;

 private:
  LoadedProgram(Device& device, Program program);
  Status place(std::span<const uint64_t> buffer_addresses);
  Result<uint64_t> upload(std::span<const std::byte> data, uint64_t alignment_bytes,
                          DeviceBuffer& buffer);
  void release();

  Device* device_;
  Program program_;
  Launch launch_;
  DeviceBuffer instructions_;  // size 0: none
  DeviceBuffer uops_;
};

}  // namespace vta::driver
