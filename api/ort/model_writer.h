// Graphs of ONNX Runtime as ONNX files, for the compiler.
#pragma once

#include <string>

#include "api/ort/graph.h"

namespace vta::ort {

/// The bytes of a model with all nodes of `graph`, in their order, its inputs and outputs, its
/// constants, and the types of all its values. Throws api::Error, also for a model of 2 GiB and
/// more, which no ONNX file holds.
std::string writeModel(const Ort& ort, const Graph& graph);

}  // namespace vta::ort
