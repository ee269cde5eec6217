// A quantised model's activations, as the model computes them.
#pragma once

#include "base/status.h"
#include "compiler/codegen/options.h"
#include "compiler/quantize/calibrate/activation_run.h"
#include "compiler/quantize/plan/adopt.h"
#include "compiler/quantize/plan/plan.h"
#include "mlir/IR/BuiltinOps.h"

namespace vta::compiler {

/// Runs a copy of `module` that rounds what `given` prescribes. Its values are plan.activations,
/// rounded where they are. Errors: those of ActivationRun::create.
Result<ActivationRun> createRoundedRun(mlir::ModuleOp module, const QuantPlan& plan,
                                       const GivenQuantization& given,
                                       const codegen::CodeOptions& code);

}  // namespace vta::compiler
