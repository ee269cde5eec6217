// Running small graphs on the GPUs of this machine in tests.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
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

/// Members of GpuOptions.
struct GpuChoice {
  GpuPrecision precision = GpuPrecision::kFloat32;
  std::vector<std::string> codes{};
  std::optional<GemmSchedule> schedule{};  // of every product; none: the default
  std::filesystem::path cache_folder{};    // CodeOptions has it
  GpuKernelLimits limits{};
  std::function<void(const ProductLayer&)> see{};  // gets every product
  /// What a device binds at once. The program is that for devices that bind no more, and runs on
  /// devices whose limit is lowered to it.
  std::optional<int64_t> range_bytes{};
};

/// Whether the back end can run all ops of the function `f` of `text`: why not.
Status checkForGpu(const std::string& text);

/// An error also where the text does not parse, or where the back end cannot run one of its ops.
Result<GpuText> compileForGpu(const std::string& text, const GpuChoice& choice = {});

/// Runs it on `device`.
Result<std::vector<Tensor>> runOnGpu(driver::GpuDevice& device, const GpuText& text,
                                     const std::vector<Tensor>& inputs);

/// Its fields with their names.
std::string scheduleText(const GemmSchedule& schedule);

/// A device that binds no more than so many bytes at once, as long as this lives.
class LowerRange {
 public:
  LowerRange(driver::GpuDevice& device, uint64_t range_bytes);
  ~LowerRange() { device_.lowerLimits(limits_); }
  LowerRange(const LowerRange&) = delete;
  LowerRange& operator=(const LowerRange&) = delete;

 private:
  driver::GpuDevice& device_;
  driver::GpuLimits limits_;  // its own
};

using Gpus = std::vector<std::shared_ptr<driver::GpuDevice>>;

/// Expects that `text` gives the same on the CPU and on each of `gpus`: integers bit for bit,
/// floats within some units in the last place of the largest, or with float16 within 0.005 of it.
/// Skips the test where there are none.
void expectWhatTheCpuGives(const std::string& text, const std::vector<Tensor>& inputs,
                           const Gpus& gpus, const GpuChoice& choice = {});

/// The devices with Vulkan that tests know: llvmpipe of Mesa, and SwiftShader, which lacks all that
/// Vulkan makes optional. Those that are not installed are missing.
const Gpus& vulkanGpus();

/// The first device with OpenCL; none if there is none.
const Gpus& openClGpus();

/// The part of the largest element by which floats may differ: sums in another order and functions
/// of another form are off by some units in the last place.
inline constexpr float kTolerance = 2e-5F;

/// Expects that two results are equal: integers bit for bit, floats nearly.
void expectSame(const Tensor& want, const Tensor& got, float tolerance = kTolerance);

/// SwiftShader by way of WebGPU; none where that is not installed.
const Gpus& webGpus();

/// PTX, run one instruction after the other on this processor, as an old GPU and as a new one.
const Gpus& ptxGpus();

}  // namespace vta::codegen::testing
