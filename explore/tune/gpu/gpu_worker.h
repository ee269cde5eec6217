// GpuWorker: what a worker process does with the GPU: it runs trials and looks at their results.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <vector>

#include "base/tensor.h"
#include "driver/gpu/gpu_device.h"
#include "driver/memory_device.h"
#include "explore/tune/measure/measurement.h"
#include "explore/tune/task/gemm_task.h"
#include "module/gpu/gpu_program.h"

namespace vta::tune {

/// A schedule to try, or what computes the right results.
struct TrialProgram {
  GpuProgram program;
  std::vector<DType> arguments;  // the elements of its tensors
};

/// Opens the GPU. It is called in processes that do nothing else, because no driver lives on in a
/// copy of the process that has opened it.
using OpenGpu = std::function<Result<std::unique_ptr<driver::GpuDevice>>()>;

/// The GPU that `open` opens, asked in another process. Errors: those of `open`; the driver
/// crashes, or does not answer within `timeout`.
Result<TunedGpu> describeGpu(const OpenGpu& open, std::chrono::milliseconds timeout);

/// What kernels have to keep to on a GPU.
GpuKernelLimits kernelLimitsOf(const driver::GpuDeviceInfo& info);

class GpuWorker {
 public:
  /// `reference` computes the right results. A schedule is launched `launches` times or more, if it
  /// takes little time.
  GpuWorker(OpenGpu open, TrialProgram reference, int launches)
      : open_(std::move(open)), reference_(std::move(reference)), launches_(launches) {}

  /// Opens the GPU and runs the reference, if that was not done before. Errors: those of the GPU.
  Status begin();

  /// kFailed where the GPU refuses the program, or its results are not those of the reference:
  /// integers are equal, floats are within what executors of GPUs may be off by.
  Measurement measure(const GpuProgram& program, uint64_t most);

 private:
  Status placeArguments();
  Status writeArguments();
  Result<std::unique_ptr<driver::LoadedGpuProgram>> load(const GpuProgram& program);
  /// Runs `program` once and reads what it has written, by argument; others are empty.
  Result<std::vector<std::vector<std::byte>>> resultsOf(const GpuProgram& program,
                                                        driver::LoadedGpuProgram& loaded);
  std::string differenceOf(const std::vector<std::vector<std::byte>>& results) const;
  Result<uint64_t> nanosecondsOf(driver::LoadedGpuProgram& loaded) const;
  Result<Measurement> time(driver::LoadedGpuProgram& loaded, uint64_t most) const;

  OpenGpu open_;
  TrialProgram reference_;
  int launches_;
  std::unique_ptr<driver::GpuDevice> gpu_;
  std::vector<driver::OwnedDeviceBuffer> buffers_;     // of arguments
  std::vector<std::vector<std::byte>> contents_;       // that they begin with
  std::vector<std::vector<std::byte>> right_results_;  // of arguments that are written
};

}  // namespace vta::tune
