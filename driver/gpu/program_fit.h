// Whether a GPU can run a program, and with which of its codes.
#pragma once

#include <string_view>
#include <vector>

#include "base/status.h"
#include "driver/gpu/gpu_device.h"
#include "module/gpu/gpu_program.h"

namespace vta::driver {

/// Whether PTX for the architecture `target` runs on a device, which is none of another form of
/// code.
bool runsPtxFor(std::string_view target, const GpuDeviceInfo& device);

/// For each kernel the first code that `device` can run; they belong to `program`.
/// Errors: kUnsupported, with the kernel and what the device lacks or which limit it passes.
Result<std::vector<const GpuCode*>> chooseCodes(const GpuProgram& program,
                                                const GpuDeviceInfo& device);

}  // namespace vta::driver
