// Functions that a model defines for itself.
#pragma once

#include <string>

#include "onnx/onnx_pb.h"

namespace vta::compiler {

/// Which of several functions of one name it is (IR version 10); empty where nothing is said.
std::string overloadOf(const onnx::FunctionProto& function);

/// The model's function that `call` calls, or null if it is an operator. Like ONNX Runtime, a
/// function goes before an operator of its name.
const onnx::FunctionProto* findFunction(const onnx::ModelProto& model, const onnx::NodeProto& call);

/// The function's nodes as a graph, with the attributes of `call` (or their defaults) filled in and
/// inputs that the call leaves out removed.
onnx::GraphProto functionBody(const onnx::FunctionProto& function, const onnx::NodeProto& call);

}  // namespace vta::compiler
