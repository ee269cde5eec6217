// How long memory ports take for what a kernel reads.
#pragma once

#include "compiler/kernel/desc/memory_traits.h"
#include "isa/config/hw_config.h"

namespace vta::kernel {

/// Bytes by who may have a port of its own.
struct ReadBytes {
  double inputs = 0;   // INP
  double weights = 0;  // WGT
  double rest = 0;     // micro-ops, accumulators, instructions
};

/// Cycles that no memory with `memory`'s rates can undercut: the ports work side by side, each at
/// its rate, and together at the memory's.
double readCycles(const ReadBytes& bytes, const HwConfig& hw, const MemoryTraits& memory);

/// Cycles of the load unit for `inputs` and `weights` cycles of loads: one after the other with one
/// DMA engine, side by side with two.
double loadUnitCycles(double inputs, double weights, const HwConfig& hw);

}  // namespace vta::kernel
