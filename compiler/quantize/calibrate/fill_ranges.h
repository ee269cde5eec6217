// Quantised models that round only some activations, in front of convolutions for instance: ranges
// for the others.
#pragma once

#include <cstdint>

#include "base/status.h"
#include "compiler/common/progress.h"
#include "compiler/quantize/common/options.h"
#include "compiler/quantize/plan/adopt.h"
#include "compiler/quantize/plan/plan.h"
#include "isa/config/hw_config.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

namespace vta::compiler {

/// Whether `hw` computes products of two activations: one of them takes the place of weights.
bool takesMatMulPairs(const HwConfig& hw);

/// Whether its ALU computes curves that are the same for all channels, and normalisation.
bool splitsNormalisation(const HwConfig& hw);

/// Layers of a quantised model with products that `plan`, which is what the model prescribes,
/// leaves in float, and that would be integers if all that they read and give were rounded to 8
/// bits.
struct UnroundedLayers {
  int64_t of_16_bits = 0;        // something is rounded to 16 bits
  int64_t without_rounding = 0;  // the others
};
UnroundedLayers countUnroundedLayers(mlir::func::FuncOp main, const HwConfig& hw,
                                     const QuantizeOptions& options, const QuantPlan& plan);

/// Adds to `given` what `main` of `module` would need to be integers throughout. An activation that
/// something reads rounded, or that a move connects with a rounded one, is rounded in the same way.
/// The others get the range that they have on options.samples while everything in `given` is
/// rounded; by options.method, or by kPercentile where that is kAuto. Errors: those of the run.
Status fillRanges(mlir::ModuleOp module, mlir::func::FuncOp main, const HwConfig& hw,
                  const QuantizeOptions& options, const Progress& progress,
                  GivenQuantization& given);

}  // namespace vta::compiler
