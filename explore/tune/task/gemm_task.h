// GemmTask: a product to find a schedule for on one GPU, and its texts.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "explore/tune/task/task_text.h"
#include "host_gpu/schedule/product_layer.h"

namespace vta::tune {

using codegen::GemmSchedule;
using codegen::GemmSpec;
using codegen::GpuKernelLimits;

/// Of measurements on a GPU with this TunedGpu::text: "NVIDIA H200 (cuda), ns".
std::string gpuSource(const std::string& gpu);
/// That text; nothing: the measurements are not of a GPU.
std::optional<std::string> gpuOfSource(std::string_view source);

/// A GPU, as far as schedules depend on it.
struct TunedGpu {
  std::string name;       // the vendor's
  std::string interface;  // of the driver: "cuda"
  GpuKernelLimits limits;

  /// "NVIDIA H200 (cuda)": schedules of two texts are never compared.
  std::string text() const;
};

struct GemmTask {
  GemmSpec spec;
  std::string kernel;  // as ProductLayer::kernel
  std::string code;    // as ProductLayer::code writes it, for the first of the layers
  TunedGpu gpu;
  std::vector<std::string> layers;  // names of all layers that are this task
};

/// The task of `layer` joins those that are there, or becomes the last of them. Called while the
/// schedule of the layer is looked for.
void addGemmTask(const codegen::ProductLayer& layer, const TunedGpu& gpu,
                 std::vector<GemmTask>& tasks);

/// Whether this is the text of a product on a GPU.
bool isGemmWorkload(std::string_view workload);

std::string gemmWorkload(const GemmSpec& spec, const std::string& kernel);
TaskKey gemmKey(const GemmSpec& spec, const std::string& kernel, const TunedGpu& gpu);
/// Errors: kInvalidArgument for texts that gemmWorkload does not write, and for products of no
/// extent.
Result<GemmSpec> parseGemmWorkload(std::string_view text);
/// The limits in TaskKey::memory. Errors: kInvalidArgument for other texts.
Result<GpuKernelLimits> parseGpuLimits(std::string_view text);

/// A schedule as one line of JSON, and back: fields that are absent have their defaults. Errors:
/// kInvalidArgument for unknown fields, and for values that no field has.
std::string gemmScheduleText(const GemmSchedule& schedule);
Result<GemmSchedule> parseGemmSchedule(std::string_view text);

}  // namespace vta::tune
