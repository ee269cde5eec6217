#include "driver/gpu/counting_gpu.h"

#include <limits>
#include <utility>

#include "driver/gpu/placed_program.h"
#include "driver/gpu/program_fit.h"

namespace vta::driver {
namespace {

class NoBuffer final : public GpuBuffer {
 public:
  Status write(uint64_t, std::span<const std::byte>) override { return {}; }
  Status read(uint64_t, std::span<std::byte>) override { return {}; }
};

class PlacedOnly final : public LoadedGpuProgram {
 public:
  explicit PlacedOnly(PlacedProgram placed) : placed_(std::move(placed)) {}
  Status run(std::chrono::milliseconds) override { return unsupported("it runs nothing"); }
  std::vector<double> dispatchSeconds() const override { return {}; }

 private:
  PlacedProgram placed_;
};

/// As much as there can be of everything.
GpuDeviceInfo unlimited() {
  constexpr uint32_t kMost = std::numeric_limits<uint32_t>::max();
  GpuDeviceInfo info;
  info.interface = "counting";
  info.name = "memory only";
  info.memory_bytes = std::numeric_limits<uint64_t>::max();
  info.features = GpuFeatures::fromBits(kMost);
  info.limits = {.max_buffer_bytes = info.memory_bytes,
                 .max_range_bytes = info.memory_bytes,
                 .shared_bytes = kMost,
                 .max_invocations = kMost,
                 .max_workgroup_size = {kMost, kMost, kMost},
                 .max_workgroups = {kMost, kMost, kMost},
                 .max_bindings = kMost};
  return info;
}

}  // namespace

CountingGpu::CountingGpu() : GpuMemory(unlimited()) {}

Result<std::unique_ptr<GpuBuffer>> CountingGpu::createBuffer(uint64_t /*size_bytes*/) {
  return std::unique_ptr<GpuBuffer>(std::make_unique<NoBuffer>());
}

Result<std::unique_ptr<LoadedGpuProgram>> CountingGpu::load(const GpuProgram& program,
                                                            std::span<const uint64_t> arguments,
                                                            GpuTimes /*times*/) {
  VTA_RETURN_IF_ERROR(chooseCodes(program, info()).status());
  VTA_ASSIGN_OR_RETURN(PlacedProgram placed, PlacedProgram::create(program, arguments, *this));
  return std::unique_ptr<LoadedGpuProgram>(std::make_unique<PlacedOnly>(std::move(placed)));
}

}  // namespace vta::driver
