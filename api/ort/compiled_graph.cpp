#include "api/ort/compiled_graph.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstring>

namespace vta::ort {
namespace {

size_t placeOf(const std::string& name, const std::vector<std::string>& names, const char* what) {
  const auto found = std::ranges::find(names, name);
  if (found != names.end()) return static_cast<size_t>(found - names.begin());
  throw api::Error(VTA_INVALID_ARGUMENT,
                   fmt::format("{} '{}' is not among {}: the module was compiled from another "
                               "model; compile this one again",
                               what, name, fmt::join(names, ", ")));
}

/// The type of ONNX Runtime for elements of a module.
ONNXTensorElementDataType typeOf(vta_dtype dtype) {
  switch (dtype) {
    case VTA_FLOAT32:
      return ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT;
    case VTA_FLOAT64:
      return ONNX_TENSOR_ELEMENT_DATA_TYPE_DOUBLE;
    case VTA_INT8:
      return ONNX_TENSOR_ELEMENT_DATA_TYPE_INT8;
    case VTA_UINT8:
      return ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT8;
    case VTA_INT16:
      return ONNX_TENSOR_ELEMENT_DATA_TYPE_INT16;
    case VTA_UINT16:
      return ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT16;
    case VTA_INT32:
      return ONNX_TENSOR_ELEMENT_DATA_TYPE_INT32;
    case VTA_UINT32:
      return ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT32;
    case VTA_INT64:
      return ONNX_TENSOR_ELEMENT_DATA_TYPE_INT64;
    case VTA_UINT64:
      return ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT64;
    case VTA_BOOL:
      return ONNX_TENSOR_ELEMENT_DATA_TYPE_BOOL;
    case VTA_FLOAT16:
      return ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT16;
    case VTA_BFLOAT16:
      return ONNX_TENSOR_ELEMENT_DATA_TYPE_BFLOAT16;
  }
  return ONNX_TENSOR_ELEMENT_DATA_TYPE_UNDEFINED;
}

}  // namespace

CompiledGraph::CompiledGraph(const Ort& ort, const api::Module& module, api::Session session,
                             const std::vector<std::string>& inputs,
                             const std::vector<std::string>& outputs)
    : OrtNodeComputeInfo{}, ort_(ort), inputs_(module.inputs()), session_(std::move(session)) {
  ort_version_supported = ort.version();
  CreateState = &CompiledGraph::createState;
  Compute = &CompiledGraph::compute;
  ReleaseState = [](OrtNodeComputeInfo*, void*) {};
  for (const api::TensorInfo& input : inputs_) {
    node_inputs_.push_back(placeOf(input.name, inputs, "the module's input"));
  }
  std::vector<std::string> names;
  for (const api::TensorInfo& output : module.outputs()) names.push_back(output.name);
  for (const std::string& output : outputs) {
    module_outputs_.push_back(placeOf(output, names, "the node's output"));
  }
}

OrtStatus* CompiledGraph::createState(OrtNodeComputeInfo* /*self*/,
                                      OrtNodeComputeContext* /*context*/, void** state) {
  *state = nullptr;
  return nullptr;
}

OrtStatus* CompiledGraph::compute(OrtNodeComputeInfo* self, void* /*state*/,
                                  OrtKernelContext* context) {
  auto& graph = *static_cast<CompiledGraph*>(self);
  return graph.ort_.guarded([&] { graph.run(context); });
}

void CompiledGraph::run(OrtKernelContext* context) {
  const std::lock_guard lock(mutex_);
  for (size_t i = 0; i < inputs_.size(); ++i) setInput(context, i);
  session_.run();
  for (size_t i = 0; i < module_outputs_.size(); ++i) giveOutput(context, i);
}

void CompiledGraph::setInput(OrtKernelContext* context, size_t index) {
  const OrtValue* value = nullptr;
  ort_.check(ort_->KernelContext_GetInput(context, node_inputs_[index], &value));
  OrtTensorTypeAndShapeInfo* made = nullptr;
  ort_.check(ort_->GetTensorTypeAndShape(value, &made));
  const Owned<OrtTensorTypeAndShapeInfo> info(made, ort_->ReleaseTensorTypeAndShapeInfo);
  std::vector<int64_t> shape(ort_.get<size_t>(made, ort_->GetDimensionsCount));
  if (!shape.empty()) ort_.check(ort_->GetDimensions(made, shape.data(), shape.size()));
  const api::TensorInfo& wanted = inputs_[index];
  if (shape != wanted.shape || ort_.get<ONNXTensorElementDataType>(
                                   made, ort_->GetTensorElementType) != typeOf(wanted.dtype)) {
    throw api::Error(VTA_INVALID_ARGUMENT,
                     fmt::format("input '{}' has the shape [{}], and the graph was compiled for "
                                 "[{}] of {}",
                                 wanted.name, fmt::join(shape, ", "), fmt::join(wanted.shape, ", "),
                                 vta_dtype_name(wanted.dtype)));
  }
  session_.setInput(index, ort_.get<const void*>(value, ort_->GetTensorData), wanted.size_bytes);
}

void CompiledGraph::giveOutput(OrtKernelContext* context, size_t index) {
  const std::vector<int64_t> shape = session_.outputShape(module_outputs_[index]);
  OrtValue* value = nullptr;
  ort_.check(ort_->KernelContext_GetOutput(context, index, shape.data(), shape.size(), &value));
  if (value == nullptr) return;  // nobody wants it
  const void* data = nullptr;
  size_t size_bytes = 0;
  api::detail::check(
      vta_session_output(session_.get(), module_outputs_[index], &data, &size_bytes));
  void* place = nullptr;
  ort_.check(ort_->GetTensorMutableData(value, &place));
  if (size_bytes > 0) std::memcpy(place, data, size_bytes);
}

}  // namespace vta::ort
