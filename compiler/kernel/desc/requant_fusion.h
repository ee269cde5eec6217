// ADD of the bias, QMUL and CLIP as one REQUANT, on hardware that has it (docs/isa.md, Extensions).
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "compiler/kernel/desc/kernel_desc.h"
#include "isa/config/hw_config.h"

namespace vta::kernel {

/// What becomes of the epilogue and of the parameter vectors of a kernel.
struct RequantFusion {
  KernelDesc desc;
  // Vectors of the kernel as it was: the multiplier, and the bias if it is one.
  int32_t multiplier = 0;
  std::optional<int32_t> bias;
  int32_t bias_immediate = 0;  // where the bias is no vector
  int32_t shift = 0;
  std::vector<int32_t> kept;  // those that come behind the pair
};

/// The fusion of the one place in the epilogue where QMUL by a parameter and CLIP follow each
/// other, with an ADD of a bias in front where there is one; none without that place or without
/// REQUANT.
std::optional<RequantFusion> findRequant(const KernelDesc& desc, const HwConfig& hw);

/// The parameters of the fused kernel, from those of the kernel as it was: `param` is
/// [num_params][OC/bo][b][bo].
std::vector<int32_t> fuseParams(const RequantFusion& fusion, const std::vector<int32_t>& param,
                                const HwConfig& hw);

}  // namespace vta::kernel
