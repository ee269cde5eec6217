// A case's model on a GPU, by way of a module and a session.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "base/status.h"
#include "base/tensor.h"
#include "driver/gpu/gpu_device.h"
#include "driver/runtime/session.h"

namespace vta::conformance {

class GpuRun {
 public:
  /// `model` holds an onnx::ModelProto, and `gpu` is what driver::openGpu takes. Errors: those of
  /// the compiler, with --partition=gpu, and of the GPU.
  static Result<std::unique_ptr<GpuRun>> create(const std::string& model, const std::string& gpu);

  /// The outputs by their names.
  Result<TensorMap> run(const TensorMap& inputs);

  size_t stepsOnGpu() const { return steps_on_gpu_; }
  size_t stepsOnCpu() const { return steps_on_cpu_; }

 private:
  GpuRun() = default;

  std::unique_ptr<driver::GpuDevice> device_;
  std::unique_ptr<driver::Session> session_;
  size_t steps_on_gpu_ = 0, steps_on_cpu_ = 0;
};

}  // namespace vta::conformance
