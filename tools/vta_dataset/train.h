// vta-dataset --cost-model: a cost model that learns from the points of a data set.
#pragma once

#include "base/status.h"
#include "tools/vta_dataset/options.h"

namespace vta::tools {

/// Makes the points and the model, and writes it. Nothing is written when the user stops it.
/// Errors: those of the points and of the cost model; the file cannot be written.
Status trainCostModel(const DatasetOptions& options);

}  // namespace vta::tools
