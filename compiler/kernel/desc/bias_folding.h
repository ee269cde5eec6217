// Biases that clear a tile and add themselves in one operation.
//
// Accumulators start at 0 and get the bias in the epilogue: two operations for each. If no result
// of the epilogue is above any bias, MAX with the bias does both to accumulators that still hold
// results of an earlier tile. Biases can be made that large: stored are results modulo 256, so they
// may all be a multiple of 256 higher. Bounds behind the last shift rise by it, the bias by what
// the shifts make of it backwards: (x + (d << s)) >> s = (x >> s) + d.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "compiler/kernel/desc/kernel_desc.h"
#include "isa/config/hw_config.h"

namespace vta::kernel {

/// Sets KernelDesc::bias_exceeds_results and small_bias_blocks to what holds with the parameters
/// `param`, for whatever accumulators.
void promiseBias(KernelDesc& desc, std::span<const int32_t> param);

/// Makes the promise hold for as many channel blocks as possible, by raising the bias in `param`
/// and the bounds in the epilogue, and sets it. What is stored stays the same for all inputs, and
/// no accumulator overflows. False, and nothing changed, where that is impossible: a multiplier has
/// no such inverse, CLIP no wider bounds; channels without a shift are left out. `param` and
/// `weight` are laid out as in kernel_desc.h; `weight` is empty without weights.
bool foldBias(KernelDesc& desc, std::vector<int32_t>& param, std::span<const int8_t> weight,
              const HwConfig& hw);

}  // namespace vta::kernel
