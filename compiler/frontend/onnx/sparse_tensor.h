// ONNX tensors of which only the elements that are not 0 are stored.
#pragma once

#include <filesystem>

#include "base/status.h"
#include "onnx/onnx_pb.h"

namespace vta::compiler {

/// The same tensor with all its elements, under the name of its values. External data is read
/// relative to `directory`. Errors: indices that are no positions of the tensor, or not as many as
/// values; more than 2 GiB of elements.
Result<onnx::TensorProto> denseTensor(const onnx::SparseTensorProto& sparse,
                                      const std::filesystem::path& directory);

}  // namespace vta::compiler
