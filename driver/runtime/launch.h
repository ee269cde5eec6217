// PreparedLaunch: consecutive VTA steps of a module, linked, relocated and in device memory, ready
// to be submitted any number of times.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/status.h"
#include "driver/device.h"
#include "driver/loader.h"
#include "driver/runtime/loaded_module.h"
#include "driver/runtime/session_memory.h"
#include "program/program.h"

namespace vta::driver {

class PreparedLaunch {
 public:
  /// Prepares steps [first_step, first_step + step_count) of `module`, all of kind kVta. Everything
  /// passed must outlive the result. Errors: a corrupt program, or one whose buffers do not fit the
  /// tensors; the message names the layer.
  static Result<std::unique_ptr<PreparedLaunch>> create(const LoadedModule& module,
                                                        SessionMemory& memory, Device& device,
                                                        uint32_t first_step, uint32_t step_count);

  /// Proves the linked program of such steps legal (program/verify/verifier.h) without a device.
  /// Errors: those of create; what the verifier finds.
  static Status check(const LoadedModule& module, uint32_t first_step, uint32_t step_count);

  /// Runs it. Errors: faults of the program and time-outs, naming the layer; the device's failures.
  Result<LaunchResult> run(std::chrono::milliseconds timeout) { return program_.execute(timeout); }

  /// What it runs; its symbols name the layers.
  const Program& program() const { return program_.program(); }

  uint32_t firstStep() const { return first_step_; }
  uint32_t stepCount() const { return step_count_; }

  /// Activations that the launch reads before it writes them, and those that it writes.
  const std::vector<uint32_t>& inputTensors() const { return input_tensors_; }
  const std::vector<uint32_t>& outputTensors() const { return output_tensors_; }

 private:
  PreparedLaunch(LoadedProgram program, uint32_t first_step, uint32_t step_count)
      : program_(std::move(program)), first_step_(first_step), step_count_(step_count) {}

  LoadedProgram program_;
  uint32_t first_step_;
  uint32_t step_count_;
  std::vector<uint32_t> input_tensors_;
  std::vector<uint32_t> output_tensors_;
};

}  // namespace vta::driver
