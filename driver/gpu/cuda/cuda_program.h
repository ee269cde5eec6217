// A program as launches on one stream.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "driver/gpu/cuda/cuda_context.h"
#include "driver/gpu/cuda/cuda_device.h"
#include "driver/gpu/placed_program.h"

namespace vta::driver::cuda {

/// One dispatch, ready to be launched.
struct CudaDispatch {
  std::shared_ptr<const LoadedPtx> module;
  Function function = nullptr;
  std::array<uint32_t, 3> workgroups{};
  std::array<uint32_t, 3> workgroup_size{};
  std::vector<DevicePointer> pointers;  // its parameters
};

class CudaProgram final : public LoadedGpuProgram {
 public:
  /// With `times`, those of dispatches are recorded. Errors: no memory.
  static Result<std::unique_ptr<CudaProgram>> create(std::shared_ptr<CudaContext> context,
                                                     PlacedProgram placed,
                                                     std::vector<CudaDispatch> dispatches,
                                                     GpuTimes times);

  Status run(std::chrono::milliseconds timeout) override;
  std::vector<double> dispatchSeconds() const override { return seconds_; }

 private:
  CudaProgram(std::shared_ptr<CudaContext> context, PlacedProgram placed,
              std::vector<CudaDispatch> dispatches)
      : context_(std::move(context)),
        placed_(std::move(placed)),
        dispatches_(std::move(dispatches)) {}
  Status record(size_t event);
  Status readTimes();

  std::shared_ptr<CudaContext> context_;
  PlacedProgram placed_;
  std::vector<CudaDispatch> dispatches_;
  std::vector<OwnedEvent> events_;  // in front of the first dispatch, and behind each; or none
  std::vector<double> seconds_;
};

}  // namespace vta::driver::cuda
