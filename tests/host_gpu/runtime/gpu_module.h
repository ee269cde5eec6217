// A module with a GPU: y = 2 x + k, in bytes, where the GPU computes the sums.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/tensor.h"
#include "module/gpu/gpu_program.h"
#include "module/module_info.h"

namespace vta::driver::test {

inline constexpr uint32_t kGpuModuleBytes = 1024;

struct GpuModuleOptions {
  std::function<void(GpuProgram&)> change_program = {};
  std::function<void(ModuleInfo&)> change_info = {};
  /// Code for devices that there are none of comes first.
  bool has_variant_for_others = false;
  std::string reference = "test_sum_2";
};

/// Layers:
///   enter  cpu  x, an input  -> a, of the GPU
///   sum    gpu  a, x         -> b, of the GPU
///   table  gpu  b, k         -> c, of the GPU; k is a constant of the CPU
///   leave  cpu  c            -> y, an output
std::vector<std::byte> makeGpuModule(const GpuModuleOptions& options = {});

Tensor gpuModuleInput();
Tensor gpuModuleOutput(const Tensor& input);

}  // namespace vta::driver::test
