// Element-wise functions that the accelerator's ALU computes exactly.
#pragma once

#include <vector>

#include "compiler/quantize/emit/builder.h"
#include "compiler/quantize/plan/requantize.h"
#include "isa/config/hw_config.h"

namespace vta::compiler {

/// A function of one int8 activation. Both lists hold 256 values for each of `channels` in turn.
struct ElementFunction {
  size_t channels = 1;
  QuantParams in, out;
  std::vector<double> reals;    // what it gives for each int8, before it is quantised
  std::vector<int8_t> entries;  // and behind
  bool may_differ = false;      // results may be as far from the entries as those of curves
  std::vector<double> shares;   // how often each int8 occurs (CurveFunction::shares)
};

/// `function` of the int8 tensor `input` in steps that the ALU of `hw` has, or null: where it is
/// neither two lines that meet in zero (LeakyRelu, PRelu), nor x * clip(x / 6 + 1 / 2, 0, 1)
/// (HardSwish), nor a line with clamped ends (affine_form.h), where the extensions `qmul` and
/// multiplication are missing, or where one of the 256 results would differ from its entry, but for
/// functions that may_differ.
mlir::Value emitAluForm(EmitBuilder& build, mlir::Value input, const ElementFunction& function,
                        const HwParams& hw);

}  // namespace vta::compiler
