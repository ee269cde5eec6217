// Running small graphs on the GPUs of this machine in tests.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/status.h"
#include "base/tensor.h"
#include "driver/gpu/gpu_device.h"
#include "module/gpu/gpu_program.h"

namespace vta::codegen::testing {

/// What the GPU back end makes of the function `f` of `text`.
struct GpuText {
  GpuProgram program;
  std::vector<Tensor> constants;
  std::vector<Tensor> results;  // for their types
};

/// An error also where the text does not parse, or where the back end cannot run one of its ops.
Result<GpuText> compileForGpu(const std::string& text);

/// Runs it on `device`.
Result<std::vector<Tensor>> runOnGpu(driver::GpuDevice& device, const GpuText& text,
                                     const std::vector<Tensor>& inputs);

/// The devices with Vulkan that tests know: llvmpipe of Mesa, and SwiftShader, which lacks all that
/// Vulkan makes optional. Those that are not installed are missing.
const std::vector<std::shared_ptr<driver::GpuDevice>>& vulkanGpus();

/// The first device with OpenCL; none if there is none.
const std::vector<std::shared_ptr<driver::GpuDevice>>& openClGpus();

}  // namespace vta::codegen::testing
