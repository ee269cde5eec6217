// What block_floats.cpp asks about graph ops and values.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "compiler/dialects/graph/graph.h"
#include "host_cpu/blocked/kernels.h"

namespace vta::codegen::blocked {

inline mlir::RankedTensorType typeOf(mlir::Value value) {
  return mlir::cast<mlir::RankedTensorType>(value.getType());
}

/// Whether `value` is a float NCHW tensor.
bool isImage(mlir::Value value);
/// The layout of such a tensor, without a halo.
Layout imageLayout(mlir::Value value);

/// The constant's value for each of `channels`, if it is one number or has the shape of
/// [.., channels, 1, 1] (of an image) or [.., channels] (of a matrix).
std::optional<std::vector<float>> channelConstant(mlir::Value value, int64_t channels,
                                                  bool is_dense);

/// The activation that `op` is, if kernels can apply it.
std::optional<Activation> activationOf(mlir::Operation* op);

/// The name of the layer that is there, or of the first of several; empty: none has one.
std::string layerName(mlir::Location location);

/// Whether each window of a pool overlaps the image, so that there is something to pool.
bool windowsOverlap(mlir::Value input, mlir::Value output, llvm::ArrayRef<int64_t> kernel,
                    llvm::ArrayRef<int64_t> strides, llvm::ArrayRef<int64_t> pads);
/// Whether a maximum pool is one of those that kernels compute.
bool isBlockedPool(graph::MaxPoolOp pool);
PoolSpec poolSpec(graph::MaxPoolOp pool);

bool isDepthwise(graph::ConvOp conv);
/// The kernel, strides, dilations and pads of `conv`, and whether it is depthwise.
void setWindow(graph::ConvOp conv, ConvSpec& spec);
/// Whether the op becomes a blocked convolution.
bool isBlockedConv(graph::ConvOp conv);

/// The zeros that convolutions want around a value.
std::array<int64_t, 4> haloOf(mlir::Value value);

/// The block that a tensor is packed with: values of few channels that only convolutions read have
/// no lanes to spare.
int64_t packedBlock(mlir::Value value);

}  // namespace vta::codegen::blocked
