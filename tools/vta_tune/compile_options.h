// How vta-tune compiles a model to find what there is to tune.
#pragma once

#include "compiler/compile.h"
#include "tools/vta_tune/options.h"

namespace vta::tools {

/// The quantisation that the command line asks for, with random samples where it names none:
/// schedules do not depend on the values of weights and ranges. Errors: calibration data that
/// cannot be read or does not fit the model.
Result<compiler::CompileOptions> compileOptions(const TuneToolOptions& options,
                                                const compiler::ModelSignature& signature,
                                                compiler::Partition partition);

/// The model, with a warning for every dimension that got a value without being asked for.
Result<std::shared_ptr<const compiler::Model>> loadModel(const TuneToolOptions& options);

}  // namespace vta::tools
