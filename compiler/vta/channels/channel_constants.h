// Constants with a value per channel, for other channels.
#pragma once

#include "compiler/vta/channels/channel_view.h"
#include "mlir/IR/Builders.h"

namespace vta::compiler {

/// Where each channel goes, each to a place of its own, and how many places there are: channel c
/// goes to `places[c]`.
struct ChannelPlaces {
  llvm::ArrayRef<int64_t> places;
  int64_t count = 0;
};

/// The constant `value` (i8 or i32) with index c of dimension `axis` at `to.places[c]`, and zeros
/// where no channel goes.
mlir::Value placeChannels(mlir::OpBuilder& builder, mlir::Value value, int64_t axis,
                          ChannelPlaces to);

/// The constant `value`, broadcast to an image in arithmetic with it, for the image with channels
/// in other places. `value` itself if all channels have the same.
mlir::Value placeParameters(mlir::OpBuilder& builder, mlir::Value value, ChannelPlaces to);

/// Constant weights [O, I / group, H, W] (i8) of a grouped convolution as those of one with a
/// single group: zeros between the groups.
mlir::Value ungroupWeights(mlir::OpBuilder& builder, mlir::Value weights, int64_t group);

}  // namespace vta::compiler
