// The RTL of the ALU operations that users define.
//
// The core's own lane (vta_alu_lane.sv) stays as it is. Hardware with users' operations has another
// module of this name around it, which computes the operations beside the own lane and chooses the
// result at the end.
#pragma once

#include <string>
#include <string_view>

#include "base/status.h"
#include "isa/config/hw_config.h"

namespace vta {

/// The file of the RTL that users' operations replace.
inline constexpr std::string_view kLaneFile = "vta_alu_lane.sv";

/// A module for what one lane of `operation` computes, without state:
/// vta_lane_NAME(x_i, y_i, ..., result_o), numbers of 32 bits.
std::string laneModule(const UserOperation& operation);

/// What stands in the place of kLaneFile, whose text is `own_lane`: one module for each of the
/// operations of `hw`, the own lane under another name, and the lane around both. `own_lane` itself
/// if there are no operations. Error: kInternal when `own_lane` is not the lane.
Result<std::string> laneSource(const HwConfig& hw, std::string_view own_lane);

}  // namespace vta
