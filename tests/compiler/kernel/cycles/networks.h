// Whole networks as the compiler partitions them: kernels and the activations between them.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "compiler/kernel/desc/kernel_desc.h"
#include "isa/config/hw_config.h"

namespace vta::kernel::testing {

/// One offloaded layer. Tensor 0 is the network's input; every layer makes the tensor of its own
/// number + 1, which may be a part of another one; what is joined or the host makes has numbers
/// above these.
struct NetworkLayer {
  KernelDesc desc;
  int input = 0;
  int residual = -1;         // none
  int joined = -1;           // the tensor that the output is a part of; none
  int64_t joined_block = 0;  // there: its first channel block
  bool relu = false;         // its bounds are a ReLU's, too
  bool after_host = false;   // a host step stands before it, so it begins a launch
  int64_t macs = 0;          // of the model: without channels that only fill blocks
};

/// Layers in the order of execution, for 224 x 224 inputs and batch 1 (rounded up to the
/// configuration's). Epilogues are those of quantised models: multipliers where the configuration
/// has QMUL, shifts per channel otherwise. The first layer is the one that vta-rewrite-first-layer
/// makes: kernel columns in channels.
using NetworkLayers = std::vector<NetworkLayer> (*)(const HwConfig& hw);

/// By name: resnet18, resnet34, resnet50, mobilenetv1, mobilenetv2, squeezenet (227 x 227),
/// googlenet; conv3x3 is one layer of 64 channels on 56 x 56 pixels without ALU work.
const std::map<std::string, NetworkLayers>& networks();

}  // namespace vta::kernel::testing
