// A model's inputs with symbolic dimensions bound.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/status.h"
#include "compiler/dialects/graph/shapes.h"
#include "compiler/frontend/onnx/extents/usual_extents.h"
#include "onnx/onnx_pb.h"

namespace vta::compiler {

struct InputPort {
  std::string name;
  int32_t onnx_type = 0;  // TensorProto::DataType
  graph::Shape shape;
};

/// What gives symbolic dimensions their values; see ImportOptions.
struct Bindings {
  const std::map<std::string, int64_t>& dimensions;
  const std::map<std::string, graph::Shape>& input_shapes;
  std::vector<std::string>* notes = nullptr;
};

/// The inputs that are not initializers. Extents of -1, missing ones and empty names are symbols
/// too. Errors: symbolic dimensions without a value (all of them, with the option that binds them),
/// values for dimensions that do not exist, two values for one symbol, illegal extents.
Result<std::vector<InputPort>> resolveInputs(const onnx::GraphProto& graph,
                                             const Bindings& bindings);

/// The symbolic dimensions that get no value, each once. Errors: those of resolveInputs but for
/// them. Notes are not written.
Result<std::vector<FreeDimension>> freeDimensions(const onnx::GraphProto& graph,
                                                  const Bindings& bindings);

/// The extent of a declared dimension if the model fixes it; otherwise -1.
int64_t fixedExtent(const onnx::TensorShapeProto::Dimension& dimension);

/// "[batch, 3, 224, 224]"
std::string declaredShapeText(const onnx::TensorShapeProto& shape);

}  // namespace vta::compiler
