// The plan of a float model for one configuration.
#pragma once

#include <set>
#include <string>

#include "compiler/quantize/plan/plan.h"
#include "isa/config/hw_config.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace vta::compiler {

/// What `hw` can take of `main`, a float model; `float_layers` stay in float. Weights for which
/// `given` has scales keep them. `matmul_pairs` is PlanOptions::matmul_pairs.
QuantPlan planFloatModel(mlir::func::FuncOp main, const GivenQuantization& given,
                         const HwConfig& hw, const std::set<std::string>& float_layers,
                         const std::set<std::string>* matmul_pairs = nullptr);

}  // namespace vta::compiler
