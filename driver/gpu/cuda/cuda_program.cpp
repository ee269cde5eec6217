#include "driver/gpu/cuda/cuda_program.h"

namespace vta::driver::cuda {

std::unique_ptr<CudaGraph> CudaGraph::record(std::shared_ptr<CudaContext> context,
                                             const std::function<Status()>& launch) {
  const CudaApi& api = context->api();
  if (!api.hasGraphs()) return nullptr;
  const Stream stream = context->workStream();
  std::unique_ptr<CudaGraph> graph(new CudaGraph(std::move(context)));
  if (api.streamBeginCapture(stream, kCaptureThreadLocal) != kSuccess) return nullptr;
  const bool is_launched = launch().ok();
  const bool is_recorded = api.streamEndCapture(stream, &graph->graph_) == kSuccess;
  if (!is_launched || !is_recorded || graph->graph_ == nullptr) return nullptr;
  if (api.graphInstantiate(&graph->ready_, graph->graph_, 0) != kSuccess) return nullptr;
  return graph;
}

CudaGraph::~CudaGraph() {
  if (!context_->checkIdle().ok()) return;
  const CudaApi& api = context_->api();
  if (ready_ != nullptr) (void)api.graphExecDestroy(ready_);
  if (graph_ != nullptr) (void)api.graphDestroy(graph_);
}

Status CudaGraph::launch() {
  const CudaApi& api = context_->api();
  return api.status(api.graphLaunch(ready_, context_->workStream()), "cuGraphLaunch");
}

Result<std::unique_ptr<CudaProgram>> CudaProgram::create(std::shared_ptr<CudaContext> context,
                                                         PlacedProgram placed,
                                                         std::vector<CudaDispatch> dispatches,
                                                         GpuTimes times) {
  std::unique_ptr<CudaProgram> program(
      new CudaProgram(std::move(context), std::move(placed), std::move(dispatches)));
  if (times == GpuTimes::kOff) {
    program->graph_ = CudaGraph::record(program->context_, [&]() -> Status {
      for (CudaDispatch& dispatch : program->dispatches_) {
        VTA_RETURN_IF_ERROR(program->launch(dispatch));
      }
      return {};
    });
    return program;
  }
  for (size_t i = 0; i <= program->dispatches_.size(); ++i) {
    VTA_ASSIGN_OR_RETURN(OwnedEvent event, OwnedEvent::create(*program->context_));
    program->events_.push_back(std::move(event));
  }
  return program;
}

Status CudaProgram::record(size_t event) {
  if (events_.empty()) return {};
  const CudaApi& api = context_->api();
  return api.status(api.eventRecord(events_[event].get(), context_->workStream()), "cuEventRecord");
}

Status CudaProgram::launch(CudaDispatch& dispatch) {
  std::vector<void*> parameters;
  for (DevicePointer& pointer : dispatch.pointers) parameters.push_back(&pointer);
  const auto& grid = dispatch.workgroups;
  const auto& block = dispatch.workgroup_size;
  const CudaApi& api = context_->api();
  return api.status(
      api.launchKernel(dispatch.function, grid[0], grid[1], grid[2], block[0], block[1], block[2],
                       0, context_->workStream(), parameters.data(), nullptr),
      "cuLaunchKernel");
}

/// Launches on one stream run one after the other.
Status CudaProgram::launchAll() {
  if (graph_ != nullptr) return graph_->launch();
  VTA_RETURN_IF_ERROR(record(0));
  for (size_t i = 0; i < dispatches_.size(); ++i) {
    VTA_RETURN_IF_ERROR(launch(dispatches_[i]));
    VTA_RETURN_IF_ERROR(record(i + 1));
  }
  return {};
}

Status CudaProgram::run(std::chrono::milliseconds timeout) {
  VTA_RETURN_IF_ERROR(context_->checkIdle());
  VTA_RETURN_IF_ERROR(launchAll());
  VTA_RETURN_IF_ERROR(context_->waitForAll(timeout));
  return readTimes();
}

Status CudaProgram::readTimes() {
  seconds_.clear();
  for (size_t i = 1; i < events_.size(); ++i) {
    float milliseconds = 0;
    const CudaApi& api = context_->api();
    VTA_RETURN_IF_ERROR(
        api.status(api.eventElapsedTime(&milliseconds, events_[i - 1].get(), events_[i].get()),
                   "cuEventElapsedTime"));
    seconds_.push_back(1e-3 * static_cast<double>(milliseconds));
  }
  return {};
}

}  // namespace vta::driver::cuda
