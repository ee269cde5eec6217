// Three small networks as people build them, with random weights: for many configurations.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace vta::random_networks {

/// A float model of one input, `x`, and one output, as ONNX bytes.
struct Network {
  std::string model;
  std::vector<int64_t> input_shape;
  std::string description;
};

inline constexpr uint32_t kSmallNetworks = 3;

/// 0: residual blocks and a classifier; 1: depthwise-separable and inverted residual blocks; 2: an
/// encoder and decoder with transposed convolution, resize, depth to space and skip connections.
Network smallNetwork(uint32_t number);

}  // namespace vta::random_networks
