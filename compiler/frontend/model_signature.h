// What a model takes and gives.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/tensor.h"

namespace vta::compiler {

/// An input or output of a model.
struct Port {
  std::string name;
  DType dtype = DType::kF32;
  std::vector<int64_t> shape;
};

struct ModelSignature {
  std::vector<Port> inputs;
  std::vector<Port> outputs;
  bool quantized = false;  // the model prescribes its integers: no calibration is needed
};

}  // namespace vta::compiler
