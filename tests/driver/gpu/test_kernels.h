// Kernels for tests of GPUs, each as SPIR-V, as OpenCL C and for the library that stands for
// NVIDIA's. SPIR-V is assembled by spirv-as.
#pragma once

#include <cstdint>
#include <string>

#include "module/gpu/gpu_program.h"

namespace vta::driver::test {

/// True where spirv-as is; tests of kernels are skipped without.
bool hasAssembler();

/// SPIR-V of `text`; a failure of the test if it has mistakes.
std::vector<std::byte> assembled(const std::string& text);

/// out[i] = a[i] + b[i] for i < count, in 32-bit integers; bindings a, b, out.
GpuKernel addKernel(uint32_t count, uint32_t workgroup_size);

/// out[i] = a[i] + b[i] in 8-bit integers, with int8 and storage8; its second code does it with
/// words, four elements each.
GpuKernel addBytesKernel(uint32_t count);

/// Each workgroup of 64 turns its 64 integers round, through 256 bytes of shared memory; bindings
/// in, out.
GpuKernel reverseKernel();

/// One invocation that adds 1 to the first integer of its binding so many times.
GpuKernel countKernel(uint32_t times);

/// Workgroups for `count` invocations.
std::array<uint32_t, 3> workgroupsFor(uint32_t count, uint32_t workgroup_size);

}  // namespace vta::driver::test
