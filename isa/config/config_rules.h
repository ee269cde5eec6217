// What the parameters of a configuration may not be together, although each is legal by itself.
#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>

#include "base/status.h"
#include "isa/config/hw_config.h"

namespace vta {

/// A number that follows from a configuration and is a constant of vta_pkg.
struct ConfigQuantity {
  std::string_view sv_name;
  int64_t (*of)(const HwConfig&) = nullptr;
};

/// `factor` times `left` is at most `right`, or it divides `right`. The hardware is built for no
/// other configuration; its elaboration check (svConfigCheck) has the same rules.
struct HardwareRule {
  std::array<std::string_view, 2> keys;  // the parameters that decide on it
  int64_t factor = 1;
  ConfigQuantity left;
  ConfigQuantity right;
  std::string_view text;                // what has to hold, in words
  std::string_view unit = "elements";   // of both
  bool HwParams::*extension = nullptr;  // only hardware with it has the rule
  bool divides = false;
};
std::span<const HardwareRule> hardwareRules();

/// Hardware with `extension` has `needed`, too. Elaboration checks that as well.
struct ExtensionRule {
  bool HwParams::*extension = nullptr;
  bool HwParams::*needed = nullptr;
  std::string_view why;  // "whose multiplier it uses"
};
std::span<const ExtensionRule> extensionRules();

/// Error: a rule does not hold. It begins with a parameter's key, and names the other one, their
/// values and what to do. `hw` is a configuration whose parameters are legal one by one.
Status checkConfigRules(const HwConfig& hw);

/// Error: the elements of a memory are smaller than a byte. For parameters that are legal one by
/// one.
Status checkWholeBytes(const HwParams& params);

/// Refuses a configuration of which there is no RTL: one with the timing of the published HLS core,
/// which is other hardware than hw/vta_rtl.
Status checkHasRtl(const HwConfig& hw);

/// Elements of `type` that one beat of the bus holds, and a scratchpad takes in one cycle; 1 if an
/// element is larger than a beat.
int64_t lanesOf(const HwConfig& hw, MemoryType type);

/// RAMs of the INP scratchpad: consecutive elements, as a beat writes and the GEMM core reads them,
/// are in different ones.
int64_t inpBanks(const HwConfig& hw);

/// Banks of ACC that have elements: all, but of an ACC that has fewer elements than banks.
int64_t accFilledBanks(const HwConfig& hw);

/// Multipliers of an output that a depthwise GEMM uses; 0 without the extension.
int64_t depthwiseProducts(const HwConfig& hw);

/// Bits that an accumulator has to have for the extension `lut`; 0 without the extension.
int64_t tableWidth(const HwConfig& hw);

/// Bits that a weight has to have for the extension `transpose`; 0 without the extension.
int64_t transposeWidth(const HwConfig& hw);

}  // namespace vta
