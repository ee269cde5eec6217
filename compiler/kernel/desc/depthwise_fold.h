// Folding: a depthwise kernel as the extension `depthwise` computes it, a row of taps in one GEMM.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "compiler/kernel/desc/kernel_desc.h"
#include "isa/config/hw_config.h"

namespace vta::kernel {

/// `desc` with Geometry::fold_taps and fold_pitch, by its geometry alone. None where the hardware
/// has no such GEMM, a block of outputs is not one or several of the inputs, kernel rows have one
/// tap or cannot be divided, or there is padding that a LOAD does not make.
std::optional<KernelDesc> foldGeometry(const KernelDesc& desc, const HwConfig& hw);

/// The same for a kernel with these weights, [OC/bo][1][KH][KW][bo][bi]. None, too, where an output
/// has a weight for a channel that is not one of its pair.
std::optional<KernelDesc> foldDepthwise(const KernelDesc& desc, std::span<const int8_t> weight,
                                        const HwConfig& hw);

/// The weights of `folded`, [OC/bo][1][KH][tapGroups][bo][bi], from those of the kernel before.
std::vector<int8_t> foldWeights(const KernelDesc& folded, std::span<const int8_t> weight,
                                const HwConfig& hw);

/// What is wrong with the folding of `desc`: validateKernelDesc calls it.
Status validateFolding(const KernelDesc& desc, const HwConfig& hw);

}  // namespace vta::kernel
