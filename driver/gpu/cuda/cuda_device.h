// NVIDIA's GPUs by way of CUDA.
#pragma once

#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "driver/gpu/code_cache.h"
#include "driver/gpu/cuda/cuda_context.h"
#include "driver/gpu/gpu_memory.h"

namespace vta::driver::cuda {

/// The driver's code for PTX. Errors: kInvalidArgument with what its compiler says.
Result<std::vector<std::byte>> compilePtx(const CudaContext& context, const std::string& text);

/// Compiled PTX; unloaded with the object.
class LoadedPtx {
 public:
  /// Errors: kInvalidArgument for what the GPU does not run.
  static Result<std::shared_ptr<const LoadedPtx>> load(std::shared_ptr<CudaContext> context,
                                                       std::span<const std::byte> code);
  ~LoadedPtx();
  LoadedPtx(const LoadedPtx&) = delete;
  LoadedPtx& operator=(const LoadedPtx&) = delete;

  /// Errors: kInvalidArgument when there is no such function.
  Result<Function> function(const std::string& name) const;

 private:
  explicit LoadedPtx(std::shared_ptr<CudaContext> context) : context_(std::move(context)) {}
  std::shared_ptr<CudaContext> context_;
  Module module_ = nullptr;
};

class CudaDevice final : public GpuMemory {
 public:
  /// What the driver finds. Errors: no driver, no GPU.
  static Result<std::vector<GpuDeviceInfo>> list(const char* library = kCudaLibrary);

  /// The GPU of this number in the list. Errors: those of the list; kNotFound for another number.
  static Result<std::unique_ptr<GpuDevice>> open(size_t number, const char* library = kCudaLibrary);

  Result<std::unique_ptr<LoadedGpuProgram>> load(const GpuProgram& program,
                                                 std::span<const uint64_t> arguments,
                                                 GpuTimes times) override;
  bool copiesBesideWork() const override { return true; }

 protected:
  Result<std::unique_ptr<GpuBuffer>> createBuffer(uint64_t size_bytes) override;
  std::vector<std::string> takeKernelNotes() override { return cache_.takeNotes(); }
  Status checkIdle() override { return context_->checkIdle(); }

 private:
  explicit CudaDevice(std::shared_ptr<CudaContext> context);
  Result<std::shared_ptr<const LoadedPtx>> compiled(const std::string& text);

  std::shared_ptr<CudaContext> context_;
  GpuCodeCache cache_;
  std::map<std::string, std::shared_ptr<const LoadedPtx>> modules_;  // by text
};

}  // namespace vta::driver::cuda
