// Reads the grid of a sweep: axes and what is derived from them.
#pragma once

#include <vector>

#include "base/yaml_section.h"
#include "explore/sweep/space/sweep_config.h"
#include "explore/sweep/space/value_text.h"

namespace vta::sweep {

/// The axes of key `grid`, in their order; none without it. Errors begin with their place.
Result<std::vector<Axis>> readAxes(YamlSection& sweep);

/// Those of key `derive`. Error also: a name that is an axis already.
Result<std::vector<Derived>> readDerived(YamlSection& sweep, const std::vector<Axis>& axes);

}  // namespace vta::sweep
