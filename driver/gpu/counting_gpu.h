// CountingGpu: a GPU that only counts what sessions allocate, to predict it.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "driver/gpu/gpu_memory.h"

namespace vta::driver {

/// Takes every program in SPIR-V, and holds and runs nothing: what is read is undefined.
/// usedBytes() is what sessions on a GPU would use.
class CountingGpu final : public GpuMemory {
 public:
  CountingGpu();
  Result<std::unique_ptr<LoadedGpuProgram>> load(const GpuProgram& program,
                                                 std::span<const uint64_t> arguments,
                                                 GpuTimes times) override;

 protected:
  Result<std::unique_ptr<GpuBuffer>> createBuffer(uint64_t size_bytes) override;
  std::vector<std::string> takeKernelNotes() override { return {}; }
  Status checkIdle() override { return {}; }
};

}  // namespace vta::driver
