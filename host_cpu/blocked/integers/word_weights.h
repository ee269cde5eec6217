// Weights and constants of integer layers in the order that kernels read them.
#pragma once

#include <optional>

#include "base/tensor.h"
#include "host_cpu/blocked/integers/tree.h"
#include "host_cpu/blocked/kernels.h"

namespace vta::codegen::blocked {

/// The int8 constant as [O, I, KH, KW]; a matrix [I, O] becomes [O, I, 1, 1].
Tensor weightsOf(mlir::Value constant);

/// [O, I, KH, KW] int8 weights as words (see KernelLibrary::conv).
Tensor packWords(const ConvSpec& spec, const ConvSchedule& schedule, const Tensor& weight);

/// What sums begin with, beside their bias.
struct SumStart {
  const Tensor* weight;  // of weightsOf()
  int64_t offset = 0;    // of the factors that kernels multiply it by: multipliedOffset()
};

/// What the sums of `tree` begin with, then its constants. `start` makes up for the offset of
/// stored bytes; nothing: there are no sums.
Tensor packConstants(const IntegerTree& tree, const Layout& out,
                     const std::optional<SumStart>& start);

}  // namespace vta::codegen::blocked
