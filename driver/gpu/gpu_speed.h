// How fast a GPU runs the compiler's kernels: measured once, and remembered beside them.
#pragma once

#include <filesystem>
#include <functional>

#include "base/machine_rates.h"
#include "base/status.h"
#include "driver/gpu/code_cache.h"
#include "driver/gpu/gpu_device.h"
#include "module/gpu/gpu_program.h"

namespace vta::driver {

/// Programs whose work is known.
struct SpeedPrograms {
  GpuProgram products;
  double macs = 0;  // of `products`
  GpuProgram copies;
  double bytes = 0;  // that `copies` reads and writes
};

/// Runs them, whole and in parts, and copies tensors. Takes the shortest of several times. Errors:
/// those of the device.
Result<MachineRates> measureGpu(GpuDevice& gpu, const SpeedPrograms& programs);

/// What measureGpu has found for this GPU with its driver, now or earlier: `folder` remembers it.
/// `make` is called where it has to be measured. Errors: those of both.
Result<MachineRates> ratesOfGpu(GpuDevice& gpu, const std::function<Result<SpeedPrograms>()>& make,
                                const std::filesystem::path& folder = gpuCodeFolder());

}  // namespace vta::driver
