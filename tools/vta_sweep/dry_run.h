// What a sweep would do.
#pragma once

#include <string>

#include "explore/sweep/space/sweep_space.h"

namespace vta::tools {

/// Counts points by the rule that makes them illegal and estimates the time with `processes`.
/// Error: a space too large to go through; it names its size.
Result<std::string> describeSweep(const sweep::SweepConfig& sweep, sweep::SweepSpace& space,
                                  int processes);

}  // namespace vta::tools
