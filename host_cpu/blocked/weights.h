// Weights of a convolution or dense layer while it is put together, and their packed form.
#pragma once

#include <vector>

#include "base/tensor.h"
#include "host_cpu/blocked/kernels.h"
#include "mlir/IR/Value.h"

namespace vta::codegen::blocked {

/// Whether floatConstant has a value.
bool isFloatConstant(mlir::Value value);
/// The float constant that `value` is, perhaps through a transposition; nothing if it is none.
std::optional<Tensor> floatConstant(mlir::Value value);

/// Multiplies the weights and the bias of each output channel by `scale` and adds `shift`.
void scaleChannels(Tensor& weight, Tensor& bias, const std::vector<float>& scale,
                   const std::vector<float>& shift);

/// [O, I, KH, KW] weights in the order that ConvSpec's kernel reads them.
Tensor packWeight(const ConvSpec& spec, const ConvSchedule& schedule, const Tensor& weight);
/// [O] to [O / 16][16], padded with zeros.
Tensor packBias(const ConvSpec& spec, const Tensor& bias);

}  // namespace vta::codegen::blocked
