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
  int64_t index_extent = 0;  // of an input: see PortInfo in module/module_info.h
};

struct ModelSignature {
  std::vector<Port> inputs;
  std::vector<Port> outputs;
  int64_t context_length = 0;  // words of a text that the model reads run by run; 0: it keeps none
  int64_t run_words = 1;   // words of one run, along dimension 1 of the input where they are more
  bool quantized = false;  // the model prescribes its integers: no calibration is needed
};

}  // namespace vta::compiler
