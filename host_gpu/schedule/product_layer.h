// A product of a network, as those see it that choose schedules. Free of MLIR.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "host_gpu/schedule/gemm_schedule.h"

namespace vta::codegen {

struct ProductLayer {
  std::string name;  // of the network's layer
  GemmSpec spec;
  /// What else decides how long it takes, as text: strides of its tensors, their elements, and what
  /// is computed along with it. Values of constants are not part of it.
  std::string kernel;
  /// Writes the product as a function by itself, for productProgram (backend/product_code.h). To be
  /// called while the schedule is looked for.
  std::function<std::string()> code;
};

/// The schedule for a product; nothing: the default. One that breaks a rule is not taken.
using FindGemmSchedule = std::function<std::optional<GemmSchedule>(const ProductLayer& layer)>;

}  // namespace vta::codegen
