// What --rescaling=fast would win.
#pragma once

#include <cstdint>
#include <optional>

#include "base/status.h"
#include "base/tensor.h"
#include "tools/common/progress/progress_line.h"
#include "tools/vta_run/features.h"
#include "tools/vta_run/options.h"
#include "tools/vta_run/runner.h"

namespace vta::tools {

/// Cycles of the network that `runner` has if it is compiled with --rescaling=fast: it is compiled
/// and timed once more, with `inputs`. Nothing where the option changes nothing, or where the
/// device is no simulator that counts cycles in a moment.
Result<std::optional<uint64_t>> cyclesWithFastRescaling(const RunOptions& options,
                                                        const RunFeatures& features,
                                                        const Runner& runner,
                                                        const TensorMap& inputs,
                                                        ProgressLine& progress);

}  // namespace vta::tools
