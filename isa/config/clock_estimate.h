// The clock that the core of a configuration is estimated to reach on known devices.
//
// A model with two numbers for each device, fitted to static timing analyses of whole cores
// (isa/spec/clock_model.h, docs/rtl.md "The clock"). Nothing is placed and routed.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "isa/spec/hw_params.h"

namespace vta {

/// The estimate for one device.
struct ClockEstimate {
  std::string_view device;  // with its speed grade
  double mhz = 0;           // on a nearly empty device: wires as short as those of published cores
  double full_mhz = 0;      // on a device that is three quarters full
};

/// One estimate for each device of the model, the slowest device first.
std::vector<ClockEstimate> estimateClock(const HwParams& params);

/// What a user has to know when `clock_mhz` is above an estimate: on which devices, and what they
/// are estimated to reach. Empty when all reach it.
std::string clockWarning(const HwParams& params);
/// The same for a clock and estimates that the caller has.
std::string clockWarning(double clock_mhz, std::span<const ClockEstimate> estimates);

}  // namespace vta
