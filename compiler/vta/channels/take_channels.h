// Channels taken out of an image by the accelerator.
#pragma once

#include "compiler/vta/channels/channel_view.h"
#include "mlir/IR/Builders.h"

namespace vta::compiler {

/// The channels that `view` names, in order: an int8 image like `like`, whose attributes it gets. A
/// 1x1 convolution makes it, in which filter o has a one for channel o of the view, and zeros. It
/// multiplies nothing that the network asks for. A range of channels is a slice.
mlir::Value takeChannels(mlir::OpBuilder& builder, mlir::Value like, const ChannelView& view);

/// The same by a convolution in any case.
mlir::Value takeByConvolution(mlir::OpBuilder& builder, mlir::Value like, const ChannelView& view);

}  // namespace vta::compiler
