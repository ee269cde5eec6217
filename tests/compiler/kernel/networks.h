// Whole networks as the compiler partitions them: kernels and the activations between them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "compiler/kernel/kernel_desc.h"
#include "isa/hw_config.h"

namespace vta::kernel::testing {

/// One offloaded layer. Tensor 0 is the network's input; every layer makes the tensor of its own
/// number + 1.
struct NetworkLayer {
  KernelDesc desc;
  int input = 0;
  int residual = -1;  // none
};

/// Layers in the order of execution, for 224 x 224 inputs and batch 1 (rounded up to the
/// configuration's). Epilogues are those of quantised models: multipliers where the configuration
/// has QMUL, shifts per channel otherwise. The first layer is the one that vta-rewrite-first-layer
/// makes: kernel columns in channels.
std::vector<NetworkLayer> resnet18Network(const HwConfig& hw);
std::vector<NetworkLayer> mobilenetV2Network(const HwConfig& hw);

}  // namespace vta::kernel::testing
