// What integers leave of a network's outputs, and what is done about it.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "compiler/quantize/calibrate/output_error.h"
#include "compiler/quantize/common/report.h"
#include "compiler/quantize/emit_integers.h"
#include "mlir/IR/BuiltinOps.h"

namespace vta::compiler {

/// The layers of a plan by name, each with the index of the activation that it gives: what is left
/// to say about layers once integers have replaced them. Layers that move elements, or have no
/// name, are left out.
using NamedActivations = std::vector<std::pair<std::string, size_t>>;
NamedActivations namedActivations(const QuantPlan& plan);

/// Measures on a few samples what the integers in `module` leave of the outputs. Curves give way to
/// tables, all together, where that loses so much less that it is worth the way to the host, and
/// `may_replace`. Fills QuantizeReport::output_noise, and what says why it is large. `error` is of
/// the float network, and `scales` what its activations are rounded to.
Status judgeOutputs(mlir::ModuleOp module, OutputError& error, bool may_replace,
                    const std::vector<ActivationScale>& scales, const NamedActivations& layers,
                    const codegen::CodeOptions& code, EmittedIntegers& emitted,
                    QuantizeReport& report);

}  // namespace vta::compiler
