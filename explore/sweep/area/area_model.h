// The FPGA resources of a configuration, estimated from synthesised ones.
//
// The model is fitted, at start, to the points of hw/synth/area_points.json: what Yosys counts for
// the whole core. LUTs and flip-flops are linear in what the RTL is made of; DSP blocks and block
// RAMs follow from its multipliers and memories. Nothing is placed and routed: a vendor's tool
// usually needs fewer LUTs than Yosys counts (docs/sweep.md).
#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "isa/config/hw_config.h"

namespace vta::sweep {

struct AreaEstimate {
  double lut = 0;  // Yosys's cells before placement
  double ff = 0;
  double dsp = 0;
  double bram36 = 0;  // block RAMs of 36 Kb; halves are of 18 Kb
  double uram = 0;    // of scratchpads that are asked for in UltraRAM
};

/// The resources in the order of resourceNames().
std::array<double, 5> valuesOf(const AreaEstimate& area);
/// "lut", "ff", "dsp", "bram36", "uram".
std::span<const std::string_view> resourceNames();

/// A device of hw/synth/devices.json.
struct DeviceResources {
  std::string name;
  std::string boards;
  AreaEstimate has;
};
const std::vector<DeviceResources>& knownDevices();
/// Null for a name that is not known.
const DeviceResources* findDevice(std::string_view name);

AreaEstimate estimateArea(const HwConfig& hw);

/// The resources that `area` exceeds on `device`, as text; empty: it fits. DSP blocks and block
/// RAMs are hard limits; of the LUTs and flip-flops the share `lut_margin` has to stay free (below
/// 0: more are allowed, because Yosys counts too many).
std::string fits(const AreaEstimate& area, const DeviceResources& device, double lut_margin);

/// A configuration that was synthesised.
struct AreaPoint {
  HwConfig hw;
  AreaEstimate used;
  std::string source;  // "flattened", "by module"
};
const std::vector<AreaPoint>& areaPoints();

/// How far the model is from points that it was not fitted to, each left out in turn.
struct AreaError {
  double mean = 0;   // of the relative errors' magnitudes
  double worst = 0;  // the largest of them
};
/// In the order of resourceNames(), without uram.
std::array<AreaError, 4> crossValidate();

/// Parameters whose value changes no estimate, with the reason: by their full key.
struct NeutralParameter {
  std::string_view key;
  std::string_view reason;
};
std::span<const NeutralParameter> areaNeutralParameters();

}  // namespace vta::sweep
