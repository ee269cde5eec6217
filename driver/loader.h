// Places a program in device memory and runs it.
#pragma once

#include <chrono>
#include <cstdint>
#include <span>
#include <string>
#include <utility>

#include "base/status.h"
#include "driver/device.h"
#include "driver/loaded_code.h"
#include "isa/program/program.h"

namespace vta::driver {

/// A program, encoded and loaded (driver/loaded_code.h), together with its decoded form.
class LoadedProgram {
 public:
  static constexpr std::chrono::milliseconds kDefaultTimeout = LoadedCode::kDefaultTimeout;

  /// Errors: those of LoadedCode::load; a program that is malformed.
  static Result<LoadedProgram> load(Device& device, Program program,
                                    std::span<const uint64_t> buffer_addresses);

  const Launch& launch() const { return code_.launch(); }
  const Program& program() const { return program_; }

  /// LoadedCode::execute, for its counters.
  Result<LaunchCounters> run(std::chrono::milliseconds timeout = kDefaultTimeout);
  Result<LaunchResult> execute(std::chrono::milliseconds timeout = kDefaultTimeout) {
    return code_.execute(timeout);
  }

  /// The message for `fault` of this program.
  std::string describe(const Fault& fault) const { return code_.describe(fault); }

 private:
  LoadedProgram(LoadedCode code, Program program)
      : code_(std::move(code)), program_(std::move(program)) {}

  LoadedCode code_;
  Program program_;
};

}  // namespace vta::driver
