// ConvSpec: a convolution over channel-blocked activations, as the CPU's kernels compute it. Free
// of MLIR types, so that searches for schedules can speak of it.
//
// Activations are [N][C / block][H][W][block], the channels of a block side by side, so that one
// vector register holds one pixel's block: of floats, or of bytes, four of which are a word. A byte
// is an int8 plus 128: instructions that multiply four bytes at once want one factor unsigned.
#pragma once

#include <array>
#include <cstdint>
#include <string>

namespace vta::codegen::blocked {

/// Channels in a block. Their floats are one AVX-512 register, two AVX ones, four NEON ones.
inline constexpr int64_t kBlock = 16;
/// Channels in a word of an integer layout.
inline constexpr int64_t kWordBytes = 4;

/// A blocked buffer. Around each image lies a halo that holds the padding of the convolutions that
/// read it: top, left, bottom, right. Lanes past `channels` hold finite numbers that nothing
/// depends on.
struct Layout {
  int64_t batch = 1, channels = 1, height = 1, width = 1;
  int64_t block = kBlock;
  std::array<int64_t, 4> halo = {0, 0, 0, 0};
  bool is_integer = false;  // then `block` is a multiple of kWordBytes

  bool operator==(const Layout&) const = default;

  int64_t blocks() const { return (channels + block - 1) / block; }
  bool hasHalo() const { return halo != std::array<int64_t, 4>{0, 0, 0, 0}; }
  /// Elements of four bytes that hold a pixel's block.
  int64_t words() const { return is_integer ? block / kWordBytes : block; }
  /// Elements of four bytes in the buffer, halo and lanes past the channels included.
  int64_t elements() const {
    return batch * blocks() * (height + halo[0] + halo[2]) * (width + halo[1] + halo[3]) * words();
  }
  /// Part of the name of kernels for this layout.
  std::string key() const {
    std::string key = std::to_string(batch);
    for (int64_t part : {channels, height, width, block, halo[0], halo[1], halo[2], halo[3]}) {
      key.append("_").append(std::to_string(part));
    }
    if (is_integer) key.append("_i8");
    return key;
  }
};

/// What happens to a result before it is stored.
struct Activation {
  enum class Kind { kNone, kRelu, kClip, kLeakyRelu };
  Kind kind = Kind::kNone;
  double low = 0, high = 0;  // kClip; kLeakyRelu: the slope in `low`

  bool operator==(const Activation&) const = default;
  std::string key() const;
};

struct ConvSpec {
  Layout in, out;
  bool depthwise = false;
  std::array<int64_t, 2> kernel = {1, 1}, strides = {1, 1}, dilations = {1, 1};
  std::array<int64_t, 2> pads = {0, 0};  // top, left; the input's halo is at least as large
  bool has_residual = false;
  Layout residual;        // the shape of `out`, perhaps with another halo
  Activation activation;  // of floats
  std::string finish;     // of integers: see integer_finish.h

  bool operator==(const ConvSpec&) const = default;
  bool isInteger() const { return in.is_integer; }
  /// Input blocks that are summed up for one output: one for a depthwise convolution.
  int64_t summedBlocks() const { return depthwise ? 1 : in.blocks(); }
  /// Vectors of weights for one input block and one position of the window.
  int64_t blockSteps() const { return depthwise ? 1 : in.words(); }
  /// Neighbouring positions of the window that are multiplied at once.
  int64_t positionsPerStep() const {
    return isInteger() && depthwise && dilations[1] == 1 ? kWordBytes : 1;
  }
  /// Vectors of weights for one row of the window.
  int64_t rowSteps() const { return (kernel[1] + positionsPerStep() - 1) / positionsPerStep(); }
  int64_t windowSteps() const { return kernel[0] * rowSteps(); }
  /// Multiplications with weights that are not padding.
  int64_t macs() const {
    return out.batch * out.channels * out.height * out.width * kernel[0] * kernel[1] *
           (depthwise ? 1 : in.channels);
  }
  /// Elements of four bytes of packed weights.
  int64_t weightElements() const {
    return out.blocks() * kBlock * windowSteps() * summedBlocks() * blockSteps();
  }
};

}  // namespace vta::codegen::blocked
