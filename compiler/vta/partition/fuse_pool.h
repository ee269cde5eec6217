// Maximum pooling that joins the convolution before it.
#pragma once

#include <optional>

#include "compiler/vta/partition/group.h"
#include "isa/config/hw_config.h"
#include "isa/spec/accumulator.h"

namespace vta::compiler {

/// The group of the maximum pooling `pool` together with the convolution whose result nothing else
/// reads. The kernel pools accumulators and applies the epilogue to what is left of them; that is
/// the same where no step of the epilogue ever falls or overflows, which follows from weights and
/// parameters. Nothing where it is not the same, or where two kernels take no longer.
std::optional<OffloadGroup> fuseConvolution(const OffloadGroup& pool, const HwConfig& hw);

/// Whether `steps`, one after the other, map larger accumulators to larger or equal int8 values for
/// all accumulators of a channel c in [-bounds[c], bounds[c]], without overflow of accumulators of
/// `acc_bits` bits.
bool isMonotone(const std::vector<GroupStep>& steps, const std::vector<int64_t>& bounds,
                int acc_bits = kAccDramBits);

}  // namespace vta::compiler
