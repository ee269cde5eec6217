// WebGPU in Node, as a GPU that runs WGSL, for tests.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "base/process/child.h"
#include "base/status.h"
#include "driver/gpu/gpu_memory.h"

namespace vta::codegen::testing {

/// Why there is no WebGPU here, with what installs it; empty if there is.
std::string missingWebGpu();

/// runner.mjs, which answers one line for each file.
class WebGpuRunner {
 public:
  /// `checks`: files are texts in WGSL, which are not run; no driver is needed.
  static Result<std::unique_ptr<WebGpuRunner>> start(bool checks);

  /// Errors: what Dawn says; it does not answer.
  Status give(const std::filesystem::path& file);

 private:
  explicit WebGpuRunner(Child child) : child_(std::move(child)) {}

  Child child_;
};

/// SwiftShader by way of WebGPU, with the limits that every WebGPU device has. Errors: those of
/// WebGpuRunner.
Result<std::unique_ptr<driver::GpuDevice>> openWebGpuDevice();

}  // namespace vta::codegen::testing
