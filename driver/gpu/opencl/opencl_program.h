// A program as kernels whose arguments are set once.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "driver/gpu/opencl/opencl_context.h"
#include "driver/gpu/placed_program.h"

namespace vta::driver::opencl {

/// One dispatch, ready to be put into the queue.
struct OpenClDispatch {
  Owned<Kernel> kernel;
  std::vector<Owned<Memory>> ranges;  // that are parts of buffers
  std::array<size_t, 3> invocations{};
  std::array<size_t, 3> workgroup_size{};
};

class OpenClProgram final : public LoadedGpuProgram {
 public:
  OpenClProgram(std::shared_ptr<OpenClContext> context, PlacedProgram placed,
                std::vector<OpenClDispatch> dispatches, GpuTimes times)
      : context_(std::move(context)),
        placed_(std::move(placed)),
        dispatches_(std::move(dispatches)),
        times_(times) {}

  Status run(std::chrono::milliseconds timeout) override;
  std::vector<double> dispatchSeconds() const override { return seconds_; }

 private:
  Status readTimes(const std::vector<Owned<Event>>& events);

  std::shared_ptr<OpenClContext> context_;
  PlacedProgram placed_;
  std::vector<OpenClDispatch> dispatches_;
  GpuTimes times_;
  std::vector<double> seconds_;
};

}  // namespace vta::driver::opencl
