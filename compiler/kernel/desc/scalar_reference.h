// Scalar reference of a KernelDesc: slow, obvious, and independent of lowering. The oracle of
// kernel tests.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "compiler/kernel/desc/kernel_desc.h"
#include "isa/config/hw_config.h"

namespace vta::kernel {

/// Applies one ALU operation as docs/isa.md defines it, on one lane of hardware with these
/// parameters. `imm` is QMUL's shift or CLIP's packed bounds; ignored by the others (their operand
/// is `y`).
int32_t applyAlu(AluOpcode opcode, int32_t x, int32_t y, int32_t imm, const HwParams& params);

/// Computes the kernel on packed operands (layouts: kernel_desc.h). Empty spans for absent buffers.
std::vector<int8_t> runReference(const KernelDesc& desc, const HwConfig& hw,
                                 std::span<const int8_t> input, std::span<const int8_t> weight,
                                 std::span<const int32_t> param, std::span<const int8_t> residual);

}  // namespace vta::kernel
