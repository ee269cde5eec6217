// Random kernels, configurations, schedules and operands, all from one seed.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "compiler/kernel/desc/kernel_desc.h"
#include "compiler/kernel/desc/schedule.h"
#include "isa/config/hw_config.h"
#include "isa/program/program.h"

namespace vta::kernel::testing {

using Rng = std::mt19937_64;

int64_t pick(Rng& rng, int64_t lo, int64_t hi);

/// Windows along an axis of `in` pixels with `pads` more.
int64_t windows(int64_t in, int64_t pads, int64_t kernel, int64_t stride, int64_t dilation);

/// A legal configuration: blocks 8 to 32, batch 1 to 4, tiny to large buffers, any extensions.
HwConfig randomHw(Rng& rng);

/// A kernel that is valid on `hw` and small enough for a scalar reference.
KernelDesc randomKernel(Rng& rng, const HwConfig& hw);

/// A legal schedule: random sizes, or the default where random ones keep missing.
Result<Schedule> randomSchedule(Rng& rng, const KernelDesc& desc, const HwConfig& hw);

struct Operands {
  std::vector<int8_t> input, weight, residual;
  std::vector<int32_t> param;
  std::vector<int8_t> table;  // KernelDesc's
  int64_t pad_value = 0;      // Geometry's
};
Operands randomOperands(Rng& rng, const KernelDesc& desc, const HwConfig& hw);

/// Buffer contents of `program`, by its declarations; the output is filled with 0xee.
std::vector<std::vector<uint8_t>> makeBuffers(const Program& program, const HwConfig& hw,
                                              const Operands& operands);

/// Number of the buffer called `name`; fails the program's invariants if there is none.
size_t bufferIndex(const Program& program, const std::string& name);

/// One line that says what a kernel is.
std::string describe(const KernelDesc& desc);

}  // namespace vta::kernel::testing
