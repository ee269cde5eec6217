// Random integer networks as MLIR text, in the patterns that quantisation writes.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "isa/config/hw_config.h"

namespace vta::compiler {

/// Builds @main, one int8 input to one int8 output, layer by layer. Requantisation uses what `hw`
/// has.
class RandomNetwork {
 public:
  RandomNetwork(uint32_t seed, const HwConfig& hw, std::vector<int64_t> input_shape);

  // Each appends one layer with random weights and attributes to the current activation.
  void conv(int64_t out_channels, int64_t kernel, int64_t stride, int64_t pad, int64_t groups = 1,
            int64_t dilation = 1, int64_t pad_value = 0);
  /// As conv with stride 1 and padding that keeps the size; the activation before it is added.
  void residualConv(int64_t kernel);
  void dense(int64_t out_channels);  // flattens images
  void maxPool(int64_t kernel, int64_t stride, int64_t pad, bool requantise);
  void sumPool(int64_t kernel, int64_t stride, int64_t pad, int64_t pad_value = 0);
  void addTwice();  // the sum of the activation and its clamp
  /// `mode`: edge, reflect or wrap; pads of rows and columns, which crop where they are negative.
  void border(const std::string& mode, int64_t top, int64_t left, int64_t bottom, int64_t right);
  /// A convolution with `groups` whose channels are `block` x `block` pixels of each output.
  void phases(int64_t out_channels, int64_t kernel, int64_t block, int64_t groups);
  void concatBranches(int64_t left_channels, int64_t right_channels);  // two 1x1 convolutions

  std::string finish() const;
  const std::vector<int64_t>& inputShape() const { return input_shape_; }
  const std::vector<int64_t>& shape() const { return shape_; }

 private:
  std::string fresh() { return "%v" + std::to_string(next_++); }
  std::string type(const std::vector<int64_t>& shape, const char* element) const;
  std::string bytes(const std::vector<int64_t>& shape, const std::vector<int8_t>& values);
  // A constant of weights whose dimensions `output` and `input` are channels. Narrow ones may have
  // factors.
  std::string weights(const std::vector<int64_t>& shape, size_t output, size_t input);
  std::string words(const std::vector<int64_t>& shape, int32_t low, int32_t high);
  std::string channelWords(int32_t low, int32_t high);  // one per channel, broadcast to shape_
  std::string apply(const std::string& op, const std::string& operands, const std::string& types,
                    const std::vector<int64_t>& shape, const char* element);
  std::string binaryI32(const std::string& op, const std::string& lhs, const std::string& rhs_typed,
                        const std::string& attributes = "");
  std::string scaled(const std::string& value);  // bias, then qmul or shifts
  void narrow(const std::string& value);
  std::string convI32(const std::string& input, int64_t out_channels, int64_t kernel,
                      int64_t stride, int64_t pad, int64_t groups, int64_t dilation,
                      int64_t pad_value);

  std::mt19937 rng_;
  int weight_bits_;
  int64_t block_;  // the larger one of inputs and outputs
  bool qmul_;
  std::vector<int64_t> input_shape_;
  std::vector<int64_t> shape_;
  std::string value_ = "%x";
  std::string body_;
  int next_ = 0;
};

}  // namespace vta::compiler
