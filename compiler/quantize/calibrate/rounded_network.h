// A float network that rounds activations to scales that come with each run, so that it is compiled
// once for all scales.
#pragma once

#include <string>

#include "base/tensor.h"
#include "compiler/quantize/calibrate/calibrate.h"
#include "compiler/quantize/calibrate/scales.h"
#include "compiler/quantize/plan/plan.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/IRMapping.h"

namespace vta::compiler {

/// A copy of `module` in which the activations of `plan` are rounded where they are defined.
/// @main has one more input of three numbers for each of them, which is called scaleName and which
/// setRounding fills. `mapping` leads from `module` to the copy.
mlir::OwningOpRef<mlir::ModuleOp> withRounding(mlir::ModuleOp module, const QuantPlan& plan,
                                               const CalibrationData& data,
                                               mlir::IRMapping& mapping);

std::string scaleName(size_t activation);

/// Rounds an activation to `scale` in runs of `sample`, which has a tensor of that name already; or
/// leaves it as it is.
void setRounding(TensorMap& sample, size_t activation, const ActivationScale& scale, bool on);

}  // namespace vta::compiler
