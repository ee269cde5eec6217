// ModuleOutline: a module before its kernels have programs. Free of MLIR types.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "compiler/kernel/desc/kernel_desc.h"
#include "module/module_info.h"

namespace vta::compiler {

/// One kernel and the tensors that a program of it works on.
struct OutlinedKernel {
  kernel::KernelDesc desc;  // with its layer's name
  uint32_t step = 0;
  /// By the names of kernel_desc.h, in their order; without micro-ops and identity weights.
  std::vector<std::pair<std::string, uint32_t>> buffers;
  /// Where a module has the tensor of the identity weights, if the kernel's program loads them: it
  /// is a constant of the device that comes behind so many of the outline's tensors.
  uint32_t tensors_before = 0;
};

/// Tensors with their places, steps, layers and planned actions: everything that the cycles of a
/// module depend on, except schedules. What programs would add is left out (constants of the host's
/// code, identity weights, entries of launches); the `entry` of a kernel's step is its place in
/// `kernels`. It is the same for all configurations that differ only in scratchpads, queues, bus
/// and clock, unless a scratchpad is too small for what the partition has in mind.
struct ModuleOutline {
  ModuleInfo info;
  std::vector<OutlinedKernel> kernels;  // in the order of their steps
};

}  // namespace vta::compiler
