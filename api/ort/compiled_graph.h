// A compiled graph as ONNX Runtime runs it.
#pragma once

#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "api/ort/graph.h"

namespace vta::ort {

/// One node of ONNX Runtime whose work a module does. Runs take turns.
class CompiledGraph final : public OrtNodeComputeInfo {
 public:
  /// `inputs` and `outputs` are the names of the node's in its order. Throws api::Error when the
  /// module has others.
  CompiledGraph(const Ort& ort, const api::Module& module, api::Session session,
                const std::vector<std::string>& inputs, const std::vector<std::string>& outputs);

 private:
  static OrtStatus* createState(OrtNodeComputeInfo* self, OrtNodeComputeContext* context,
                                void** state);
  static OrtStatus* compute(OrtNodeComputeInfo* self, void* state, OrtKernelContext* context);
  void run(OrtKernelContext* context);
  void setInput(OrtKernelContext* context, size_t index);
  void giveOutput(OrtKernelContext* context, size_t index);

  Ort ort_;
  std::vector<api::TensorInfo> inputs_;  ///< of the module
  std::vector<size_t> node_inputs_;      ///< of each of them: its place among the node's
  std::vector<size_t> module_outputs_;   ///< of each output of the node: its place in the module
  api::Session session_;
  std::mutex mutex_;
};

}  // namespace vta::ort
