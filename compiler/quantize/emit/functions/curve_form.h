// Element-wise functions that the accelerator's ALU computes nearly, as integer ops of the graph.
#pragma once

#include "compiler/quantize/common/options.h"
#include "compiler/quantize/emit/builder.h"
#include "compiler/quantize/emit/functions/alu_forms.h"

namespace vta::compiler {

/// `function` of the int8 tensor `input` as a curve (compiler/quantize/curves/fit_curve.h), or null
/// where there is none, where channels differ, where `hw` lacks the extension `qmul` or
/// multiplication, or where `place` says that the host does it. Results differ from the entries by
/// one step at most: for models whose integers are ours to choose.
mlir::Value emitCurve(EmitBuilder& build, mlir::Value input, const ElementFunction& function,
                      const HwParams& hw, CurvePlace place);

}  // namespace vta::compiler
