// ONNX TensorProto files (.pb), as ONNX's test data has them.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <utility>

#include "base/status.h"
#include "base/tensor.h"

namespace vta::tools {

/// The tensor and its name ("" if it has none). Errors: no TensorProto, data elsewhere, an element
/// type that tensors do not have.
Result<std::pair<std::string, Tensor>> parseTensorProto(std::span<const std::byte> file);

}  // namespace vta::tools
