// Weights that are another kernel's output (WeightLayout), and weights with factors.
#pragma once

#include "base/status.h"
#include "compiler/kernel/desc/kernel_desc.h"
#include "isa/config/hw_config.h"

namespace vta::kernel {

/// Checks that `hw` can load the weights of `desc` from where they lie. Only those of products lie
/// in rows: they have no taps and no phases, and are bytes.
Status validateWeightLayout(const KernelDesc& desc, const HwConfig& hw);

/// Checks KernelDesc::factor_blocks: a contraction with weights of its own, on hardware with MUL,
/// which has a parameter for each multiplication.
Status validateWeightFactors(const KernelDesc& desc, const HwConfig& hw);

}  // namespace vta::kernel
