// Real synthesis of single points.
#pragma once

#include <string>

#include "explore/sweep/evaluate/evaluator.h"

namespace vta::tools {

/// What Yosys counts for the accelerator of `point` on `device`, beside the estimate, as a line of
/// text. Errors: no Yosys, no scripts of the repository, a design that cannot be synthesised; what
/// does not fit is no error.
Result<std::string> confirmPoint(const sweep::PointResult& point, const std::string& device);

/// Whether there is such a device; none is asked for where `device` is empty. Error: lists those
/// that there are.
Status checkDevice(const std::string& device);

}  // namespace vta::tools
