// A model's inputs with symbolic dimensions bound.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/status.h"
#include "compiler/dialects/graph/shapes.h"
#include "onnx/onnx_pb.h"

namespace vta::compiler {

struct InputPort {
  std::string name;
  int32_t onnx_type = 0;  // TensorProto::DataType
  graph::Shape shape;
};

/// The inputs that are not initializers. Errors: symbolic dimensions without a value (all of them,
/// with the option that binds them), values for dimensions that do not exist, illegal extents.
Result<std::vector<InputPort>> resolveInputs(const onnx::GraphProto& graph,
                                             const std::map<std::string, int64_t>& dimensions);

/// The extent of a declared dimension, if the model or `dimensions` fixes it; otherwise -1.
int64_t fixedExtent(const onnx::TensorShapeProto::Dimension& dimension,
                    const std::map<std::string, int64_t>& dimensions);

/// "[batch, 3, 224, 224]"
std::string declaredShapeText(const onnx::TensorShapeProto& shape);

}  // namespace vta::compiler
