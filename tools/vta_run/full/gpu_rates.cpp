#include "tools/vta_run/full/gpu_rates.h"

#include <fmt/format.h>

#include "driver/gpu/gpu_registry.h"
#include "driver/gpu/gpu_speed.h"
#include "host_gpu/backend/known_programs.h"

namespace vta::tools {
namespace {

constexpr int64_t kProductRows = 1024;
constexpr int64_t kCopiedElems = int64_t{1} << 22;

Result<driver::SpeedPrograms> makePrograms() {
  driver::SpeedPrograms programs;
  VTA_ASSIGN_OR_RETURN(programs.products, codegen::productProgram(kProductRows));
  programs.macs = static_cast<double>(kProductRows * kProductRows * kProductRows);
  VTA_ASSIGN_OR_RETURN(programs.copies, codegen::doublingProgram(kCopiedElems));
  programs.bytes = static_cast<double>(2 * kCopiedElems * int64_t{sizeof(float)});
  return programs;
}

}  // namespace

std::optional<MachineRates> gpuRates(const std::string& choice,
                                     std::vector<std::string>& warnings) {
  const auto gpu = driver::openGpu(choice);
  if (!gpu.ok()) return std::nullopt;  // which is said when it is to run
  if ((*gpu)->info().kind == driver::GpuKind::kCpu) return std::nullopt;
  const auto rates = driver::ratesOfGpu(**gpu, makePrograms);
  if (rates.ok()) return *rates;
  warnings.push_back(
      fmt::format("the GPU '{}' cannot be measured, so layers are placed as for a usual one: {}",
                  (*gpu)->info().name, rates.status().message()));
  return std::nullopt;
}

}  // namespace vta::tools
