// What wide activations cost, before there are kernels.
#pragma once

#include "compiler/quantize/plan/plan.h"
#include "isa/config/hw_config.h"

namespace vta::compiler {

/// Cycles of the GEMM core or the ALU, whichever is busier, over all contractions of `plan` with
/// the activations that are wide in it. An estimate for comparing sets of wide activations:
/// transfers are not in it.
double estimateCycles(const QuantPlan& plan, const HwConfig& hw);

}  // namespace vta::compiler
