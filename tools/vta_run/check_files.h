// What can be said about the files of a command line before the model is compiled.
#pragma once

#include "base/status.h"
#include "tools/vta_run/features.h"
#include "tools/vta_run/options.h"

namespace vta::tools {

/// Checks every name and path of `options` that needs no model. Errors: those of checkPaths and
/// checkDevice, a reference array that cannot be read; each names its option.
Status checkFiles(const RunOptions& options, const RunFeatures& features);

}  // namespace vta::tools
