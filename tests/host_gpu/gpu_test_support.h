// Running small graphs on the GPUs of this machine in tests.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/status.h"
#include "base/tensor.h"
#include "driver/gpu/gpu_device.h"
#include "host_gpu/backend/options.h"
#include "module/gpu/gpu_program.h"

namespace vta::codegen::testing {

/// What the GPU back end makes of the function `f` of `text`.
struct GpuText {
  GpuProgram program;
  std::vector<Tensor> constants;
  std::vector<Tensor> results;  // for their types
};

/// An error also where the text does not parse, or where the back end cannot run one of its ops.
Result<GpuText> compileForGpu(const std::string& text,
                              GpuPrecision precision = GpuPrecision::kFloat32);

/// Runs it on `device`.
Result<std::vector<Tensor>> runOnGpu(driver::GpuDevice& device, const GpuText& text,
                                     const std::vector<Tensor>& inputs);

using Gpus = std::vector<std::shared_ptr<driver::GpuDevice>>;

/// Expects that `text` gives the same on the CPU and on each of `gpus`: integers bit for bit,
/// floats within some units in the last place of the largest, or with float16 within 0.005 of it.
/// Skips the test where there are none.
void expectWhatTheCpuGives(const std::string& text, const std::vector<Tensor>& inputs,
                           const Gpus& gpus, GpuPrecision precision = GpuPrecision::kFloat32);

/// The devices with Vulkan that tests know: llvmpipe of Mesa, and SwiftShader, which lacks all that
/// Vulkan makes optional. Those that are not installed are missing.
const Gpus& vulkanGpus();

/// The first device with OpenCL; none if there is none.
const Gpus& openClGpus();

/// PTX, run one instruction after the other on this processor, as an old GPU and as a new one.
const Gpus& ptxGpus();

}  // namespace vta::codegen::testing
