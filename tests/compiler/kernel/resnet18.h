// The kernels of ResNet-18 at 224x224 on 16-channel blocks, for tests and benchmarks.
#pragma once

#include <string>
#include <vector>

#include "compiler/kernel/desc/kernel_desc.h"

namespace vta::kernel::testing {

/// One kernel for each distinct layer shape, with the epilogue that quantised layers get on `hw`.
std::vector<KernelDesc> resnet18Kernels(const HwConfig& hw);

}  // namespace vta::kernel::testing
