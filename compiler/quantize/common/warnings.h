// What users are told of a quantisation that loses something. Free of MLIR types.
#pragma once

#include <string>
#include <vector>

#include "compiler/quantize/common/report.h"

namespace vta::compiler {

/// Sentences, each with the option that helps.
std::vector<std::string> warningsOf(const QuantizeReport& report);

}  // namespace vta::compiler
