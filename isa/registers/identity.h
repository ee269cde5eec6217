// What the hardware's registers say about its configuration: how simulators and the RTL fill them,
// and how a driver checks that the hardware is the one that a program was compiled for.
#pragma once

#include <cstdint>
#include <string>

#include "base/status.h"
#include "isa/config/hw_config.h"

namespace vta {

/// Choices of a hardware build that programs cannot see.
struct HardwareBuild {
  bool int8_packing = true;  // two GEMM products in one DSP block
  bool counters = true;      // performance counters; without them they read as zero
};

/// The words of the registers id, version, fingerprint, config, depths, last_uop_inp, last_wgt_acc
/// and extensions.
struct HardwareIdentity {
  uint32_t id = 0;
  uint32_t version = 0;
  uint64_t fingerprint = 0;
  uint32_t config = 0;
  uint32_t depths = 0;
  uint32_t last_uop_inp = 0;
  uint32_t last_wgt_acc = 0;
  uint32_t extension_bits = 0;  // a bit for each, in the order of isaExtensions()

  bool operator==(const HardwareIdentity&) const = default;
};
HardwareIdentity identityOf(const HwConfig& hw, const HardwareBuild& build = {});

/// Elements of the scratchpad of UOP, INP, WGT or ACC by these registers.
uint64_t depthOf(const HardwareIdentity& identity, MemoryType type);

/// The fields of the config, depths and extensions words as text: "log2 batch 0, log2 block_in 4,
/// ...".
std::string describeIdentity(const HardwareIdentity& identity);

/// Whether hardware that reads as `found` runs programs for `hw`. Error kUnsupported: it is
/// no VTA, has another register map, or is another configuration; the text names what differs.
Status checkIdentity(const HardwareIdentity& found, const HwConfig& hw);

}  // namespace vta
