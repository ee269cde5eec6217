// Which layers one kernel computes together.
#pragma once

#include <optional>

#include "compiler/kernel/desc/kernel_desc.h"
#include "isa/config/hw_config.h"

namespace vta::kernel {

/// `contraction`, which makes the input of the maximum pooling `pool`, and `pool` as one kernel. It
/// pools accumulators before the epilogue, which must be monotone: the caller knows its parameters.
/// Nothing where that is not the same computation, where no schedule fits, or where by the cost
/// model two kernels take no longer.
std::optional<KernelDesc> fusePool(const KernelDesc& contraction, const KernelDesc& pool,
                                   const HwConfig& hw);

}  // namespace vta::kernel
