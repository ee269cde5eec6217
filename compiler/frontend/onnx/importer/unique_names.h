// Names that a model may give once only.
#pragma once

#include "base/status.h"
#include "onnx/onnx_pb.h"

namespace vta::compiler {

/// Errors, each naming what is there twice: an operator set or a function of the model, an input or
/// an initializer of a graph, also of those inside of its nodes.
Status checkUniqueNames(const onnx::ModelProto& model);

}  // namespace vta::compiler
