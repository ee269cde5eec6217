// Compiling and running small modules in tests.
#pragma once

#include <string>
#include <vector>

#include "host_cpu/host_compiler.h"
#include "isa/support/status.h"
#include "isa/support/tensor.h"

namespace vta::host::testing {

struct RunOptions {
  HostOptions host;
  std::string function = "f";
};

/// Parses `text` (graph and upstream dialects), compiles it and calls its function on `inputs`. The
/// results' types come from the function's signature. An error also where the text does not parse.
Result<std::vector<Tensor>> compileAndRun(const std::string& text,
                                          const std::vector<Tensor>& inputs,
                                          const RunOptions& options = {});

/// Compiles `text` only.
Result<HostObject> compileText(const std::string& text, const HostOptions& options = {});

/// A tensor of reproducible pseudo-random numbers: floats in [low, high], integers likewise.
Tensor randomTensor(DType dtype, std::vector<int64_t> shape, unsigned seed, double low = -1,
                    double high = 1);

/// "1x3x8x8xf32": the shape and type as MLIR writes them in a tensor type.
std::string mlirType(const Tensor& tensor);

}  // namespace vta::host::testing
