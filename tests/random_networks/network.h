// Random small networks as ONNX models, layer by layer: the shapes, windows and attributes that
// real networks seldom have.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "tests/compiler/frontend/model_builder.h"

namespace vta::random_networks {

using Shape = std::vector<int64_t>;

/// A float model of one input and one output. The same seed gives the same bytes.
class RandomNetwork {
 public:
  explicit RandomNetwork(uint32_t seed);

  std::string serialized() { return model_.proto().SerializeAsString(); }
  const Shape& inputShape() const { return input_; }
  /// The layers, for people: "Conv 3x5 s2,2 d1,1 g4 -> 24, MaxPool 2x2 s1,1 d1,1 ceil, Gemm".
  const std::string& description() const { return description_; }

 private:
  int64_t pick(int64_t low, int64_t high) {
    return std::uniform_int_distribution<int64_t>(low, high)(rng_);
  }
  bool chance(int percent) { return pick(1, 100) <= percent; }

  void addLayer();
  void convolution();
  void transposedConvolution();
  void pool(const std::string& op);
  void activation();
  void residual();
  void branches();
  void slice();
  void pad();
  void resize();
  void depthToSpace();
  void spaceToDepth();
  void split();
  void head();

  int64_t channels();
  std::string fresh() { return fmt::format("v{}", next_++); }
  std::string weights(const Shape& shape, double bound);
  std::string integers(const std::vector<int64_t>& values);
  onnx::NodeProto& node(const std::string& op, std::vector<std::string> inputs);
  /// A convolution of the current activation; keeps the extents if `same`.
  void convolve(int64_t out_channels, int64_t group, bool same);
  /// Strides, pads or auto_pad for a window that reaches over `reach`; updates the shape.
  void addWindow(onnx::NodeProto& node, const Shape& kernel, const Shape& dilations, bool same,
                 bool ceil);

  std::mt19937 rng_;
  compiler::ModelBuilder model_;
  Shape input_, shape_;
  std::string value_ = "x";
  std::string description_;
  int next_ = 0;
};

}  // namespace vta::random_networks
