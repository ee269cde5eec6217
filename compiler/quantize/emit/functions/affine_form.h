// Lines with clamped ends, one for each channel, in steps of the ALU.
#pragma once

#include "compiler/quantize/emit/functions/alu_forms.h"

namespace vta::compiler {

/// `function` of the int8 tensor `input` as clip(qmul(qmul(input, m1, s1) + d, m2, s2)), with m1, d
/// and m2 per channel: normalisation, perhaps with a relu behind it. Null where the function is
/// nothing of that kind, where `hw` has no `qmul`, or where one of the 256 results of a channel
/// would differ from its entry.
mlir::Value emitAffineForm(EmitBuilder& build, mlir::Value input, const ElementFunction& function,
                           const HwParams& hw);

}  // namespace vta::compiler
