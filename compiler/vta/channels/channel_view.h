// Tensors as channels of other tensors, in some order.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "mlir/IR/Operation.h"

namespace vta::compiler {

/// Channel c of an image [N, C, H, W] is channel `channels[c]` of `source`, an image of the same
/// size. Channels of the source may be missing and may occur twice.
struct ChannelView {
  mlir::Value source;
  std::vector<int64_t> channels;

  int64_t sourceChannels() const;
  /// True for channels of the source that follow each other.
  bool isRange() const;
};

/// All channels of `image` in their order.
ChannelView viewOfAll(mlir::Value image);

/// True for reshapes, transposes and slices.
bool isMove(mlir::Operation* op);

/// `value` as channels of what reshapes, transposes and slices make it of. None if there are no
/// such operations, or if they move anything but whole channels.
std::optional<ChannelView> traceChannels(mlir::Value value);

/// What reshapes, transposes and slices make `value` of: `value` itself if there are none.
mlir::Value rootOfMoves(mlir::Value value);

}  // namespace vta::compiler
