// GPUs by way of OpenCL.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "driver/gpu/code_cache.h"
#include "driver/gpu/gpu_memory.h"
#include "driver/gpu/opencl/opencl_context.h"

namespace vta::driver::opencl {

class OpenClDevice final : public GpuMemory {
 public:
  /// What OpenCL finds. Errors: no loader, no driver.
  static Result<std::vector<GpuDeviceInfo>> list();

  /// The device of this number in the list. Errors: those of the list; kNotFound for another
  /// number.
  static Result<std::unique_ptr<GpuDevice>> open(size_t number);

  Result<std::unique_ptr<LoadedGpuProgram>> load(const GpuProgram& program,
                                                 std::span<const uint64_t> arguments,
                                                 GpuTimes times) override;
  bool copiesBesideWork() const override { return true; }

 protected:
  Result<std::unique_ptr<GpuBuffer>> createBuffer(uint64_t size_bytes) override;
  std::vector<std::string> takeKernelNotes() override { return cache_.takeNotes(); }
  Status checkIdle() override { return context_->checkIdle(); }

 private:
  explicit OpenClDevice(std::shared_ptr<OpenClContext> context);

  /// The program of a source text, built if it is new. Errors: kInvalidArgument with what the
  /// compiler says.
  Result<Program> build(const std::string& source);
  Result<Owned<Program>> buildOrTakeKept(const std::string& source);
  Result<Owned<Memory>> memoryOf(uint64_t address, uint64_t size_bytes) const;

  std::shared_ptr<OpenClContext> context_;
  GpuCodeCache cache_;
  std::map<std::string, Owned<Program>> programs_;  // by source text
};

}  // namespace vta::driver::opencl
