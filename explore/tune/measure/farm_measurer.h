// Measurement by workers on other machines.
#pragma once

#include <memory>

#include "explore/tune/measure/measurement.h"
#include "explore/workers/farm/farm.h"

namespace vta::tune {

/// Measures with workers that do MeasureWork. A schedule whose workers were lost in every attempt
/// has the outcome kCrashed; what was not finished when the farm was stopped or failed is
/// kNotMeasured. Error: the workers do not say what they measure on.
Result<std::unique_ptr<Measurer>> makeFarmMeasurer(std::unique_ptr<launcher::Farm> farm);

}  // namespace vta::tune
