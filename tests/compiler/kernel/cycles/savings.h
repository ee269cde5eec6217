// What the compiler does to issue fewer operations, one by one turned off.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "compiler/kernel/desc/schedule.h"
#include "isa/config/hw_config.h"
#include "tests/compiler/kernel/cycles/networks.h"

namespace vta::kernel::testing {

/// Names of the savings:
///   folded-bias      one MAX instead of clearing a tile and adding its bias
///   merged-relu      a ReLU is the lower bound of the saturation
///   extensions       QMUL and CLIP, instead of shifts, minima and maxima
///   skipped-padding  no multiplications with zero padding
inline const std::vector<std::string> kSavings = {"folded-bias", "merged-relu", "extensions",
                                                  "skipped-padding"};

/// The configuration, layers and schedules without the saving `name`, if it concerns them. Where
/// `hw` has no extensions, or a layer no ReLU, they stay as they are, and so does a schedule whose
/// padding has no room.
HwConfig hwWithout(const std::string& name, const HwConfig& hw);
void removeFrom(std::vector<NetworkLayer>& layers, const std::string& name);
void removeFrom(std::vector<Schedule>& schedules, const std::string& name,
                std::span<const NetworkLayer> layers, const HwConfig& hw);

}  // namespace vta::kernel::testing
