// Known-answer tests of a GPU: whether it computes what it says that it can.
#pragma once

#include <filesystem>

#include "base/status.h"
#include "driver/gpu/code_cache.h"
#include "driver/gpu/gpu_device.h"
#include "driver/self_test.h"

namespace vta::driver {

/// Runs all probes (probe.h), one step for each. Those of features that the GPU does not have are
/// skipped. Errors are failures of a step.
SelfTestReport selfTestGpu(GpuDevice& gpu);

/// The features whose steps failed.
GpuFeatures brokenFeatures(const SelfTestReport& report);

/// Takes from `gpu` the features that it only claims, with a note. A GPU that passes, or only lacks
/// features, is not tested again with the same driver: `folder` remembers it. Errors: kDeviceFault
/// when what every kernel needs is wrong.
Status trustGpu(GpuDevice& gpu, const std::filesystem::path& folder = gpuCodeFolder());

}  // namespace vta::driver
