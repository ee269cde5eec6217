// A quantised model as the float model that it was made from.
#pragma once

#include "compiler/quantize/plan/adopt.h"

namespace vta::compiler {

/// Makes a float model of `function`, whose rounding `given` has been adopted, and empties `given`.
/// What rounding cuts off stays cut off where a sum is rounded: a model may leave its relu to it.
void forgetRounding(mlir::func::FuncOp function, GivenQuantization& given);

}  // namespace vta::compiler
