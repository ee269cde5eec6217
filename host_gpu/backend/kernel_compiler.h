// The kernels of a GPU program in all forms of code.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/status.h"
#include "compiler/codegen/llvm/object_cache.h"
#include "host_gpu/kernels/kernel_ir.h"
#include "module/gpu/gpu_program.h"

namespace vta::codegen {

/// The name among GpuOptions::codes that asks for code in WGSL; the others are AMD's architectures.
inline constexpr const char* kWgslCode = "wgsl";

/// Errors: kInvalidArgument for one of GpuOptions::codes that nobody knows, with those that are.
Status checkExtraCodes(std::span<const std::string> codes);

/// Compiles each kernel once, however many dispatches it has, and all of them together.
class KernelCompiler {
 public:
  /// The number that `kernel` has among those that compile() gives. Kernels of the same ops, grid
  /// and accesses are one, which has the name of the first.
  uint32_t add(KernelIr kernel);

  /// Call it once, behind the last add(). No other thread may use the context of the kernels: they
  /// are compiled beside each other. `extra_codes` are GpuOptions::codes. Kernels bind at most
  /// `range_bytes` at once: larger buffers are several ranges. `cache` keeps what LLVM makes.
  /// Errors: what a kernel has no form of.
  Result<std::vector<GpuKernel>> compile(std::span<const std::string> extra_codes,
                                         int64_t range_bytes, const ObjectCache& cache);

 private:
  std::unordered_map<std::string, uint32_t> numbers_;  // by what kernels are made of
  std::vector<KernelIr> kernels_;
};

}  // namespace vta::codegen
