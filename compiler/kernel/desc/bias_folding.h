// The bias as the first accumulation of a tile.
//
// Usually accumulators start at 0 and get the bias in the epilogue, which takes two operations
// each. If no result of the epilogue is above any bias, one MAX with the bias does both to
// accumulators that still hold results of an earlier tile. Biases can be made large enough for
// that: results are stored modulo 256, so all of them may be higher by a multiple of 256. The
// bounds behind the last shift rise by that amount d, and the bias by what the shifts make of it
// backwards: (x + (d << s)) >> s = (x >> s) + d.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "compiler/kernel/desc/kernel_desc.h"
#include "isa/config/hw_config.h"

namespace vta::kernel {

/// Sets KernelDesc::bias_exceeds_results and small_bias_blocks to what holds with the parameters
/// `param`, whatever the accumulators are.
void promiseBias(KernelDesc& desc, std::span<const int32_t> param);

/// Makes the promise hold for as many channel blocks as possible, by raising the bias in `param`
/// and the bounds in the epilogue, and sets it. The stored results stay the same for all inputs,
/// and no accumulator overflows. Returns false and changes nothing where that is impossible: a QMUL
/// has no such inverse, and a CLIP has no wider bounds. Channels without a shift are left out.
/// `param` and `weight` are laid out as in kernel_desc.h; `weight` is empty if the kernel has no
/// weights.
bool foldBias(KernelDesc& desc, std::vector<int32_t>& param, std::span<const int8_t> weight,
              const HwConfig& hw);

}  // namespace vta::kernel
