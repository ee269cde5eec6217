// A program as launches on the stream for work: a graph of them where no times are wanted.
#pragma once

#include <array>
#include <functional>
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

/// Launches that are recorded once, so that a run is one call. Nothing is destroyed while a kernel
/// runs that did not end in time.
class CudaGraph {
 public:
  /// What `launch` launches on the stream for work. Null where the driver cannot record it:
  /// then the launches are to be made one by one.
  static std::unique_ptr<CudaGraph> record(std::shared_ptr<CudaContext> context,
                                           const std::function<Status()>& launch);
  ~CudaGraph();
  CudaGraph(const CudaGraph&) = delete;
  CudaGraph& operator=(const CudaGraph&) = delete;

  Status launch();

 private:
  explicit CudaGraph(std::shared_ptr<CudaContext> context) : context_(std::move(context)) {}

  std::shared_ptr<CudaContext> context_;
  Graph graph_ = nullptr;
  GraphExec ready_ = nullptr;
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
  Status launch(CudaDispatch& dispatch);
  Status launchAll();
  Status record(size_t event);
  Status readTimes();

  std::shared_ptr<CudaContext> context_;
  PlacedProgram placed_;
  std::vector<CudaDispatch> dispatches_;
  std::vector<OwnedEvent> events_;  // in front of the first dispatch, and behind each; or none
  std::vector<double> seconds_;
  std::unique_ptr<CudaGraph> graph_;  // null: launches are made one by one
};

}  // namespace vta::driver::cuda
