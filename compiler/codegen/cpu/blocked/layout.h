// Channel-blocked activations: [N][C / block][H][W][block], the channels of a block side by side,
// so that one vector register holds one pixel's block.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "mlir/IR/BuiltinTypes.h"

namespace vta::codegen::blocked {

/// Floats in a block: one AVX-512 register, two AVX ones, four NEON ones.
inline constexpr int64_t kBlock = 16;

/// A buffer of blocked floats. Around each image lies a halo that holds zeros, the padding of the
/// convolutions that read it: top, left, bottom, right. Lanes past `channels` hold finite numbers
/// that nothing depends on.
struct Layout {
  int64_t batch = 1, channels = 1, height = 1, width = 1;
  int64_t block = kBlock;
  std::array<int64_t, 4> halo = {0, 0, 0, 0};

  int64_t blocks() const { return (channels + block - 1) / block; }
  bool hasHalo() const { return halo != std::array<int64_t, 4>{0, 0, 0, 0}; }
  mlir::MemRefType type(mlir::MLIRContext* context) const {
    return mlir::MemRefType::get(
        {batch, blocks(), height + halo[0] + halo[2], width + halo[1] + halo[3], block},
        mlir::Float32Type::get(context));
  }
  /// Part of the name of kernels for this layout.
  std::string key() const {
    std::string key = std::to_string(batch);
    for (int64_t part : {channels, height, width, block, halo[0], halo[1], halo[2], halo[3]}) {
      key.append("_").append(std::to_string(part));
    }
    return key;
  }
};

}  // namespace vta::codegen::blocked
