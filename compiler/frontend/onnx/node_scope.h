// What a node sees of the graph around it.
#pragma once

#include <vector>

#include "base/status.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "mlir/IR/Value.h"
#include "onnx/onnx_pb.h"

namespace vta::compiler {

/// The elements of a value that is a sequence of tensors.
using Sequence = std::vector<mlir::Value>;

class NodeScope {
 public:
  virtual ~NodeScope() = default;

  /// The value of an ONNX name, or null. The inputs of the node that is being imported are there.
  virtual mlir::Value find(llvm::StringRef name) const = 0;

  /// The elements of the sequence that an ONNX name stands for, or null if it stands for none.
  virtual const Sequence* findSequence(llvm::StringRef name) const = 0;

  /// The element type that values of a TensorProto::DataType are computed in; see computedType in
  /// tensor_proto.h.
  virtual Result<mlir::Type> computedType(int32_t onnx_type) const = 0;

  /// Imports a graph that is an attribute of the node, as part of the graph around it; it sees the
  /// names of that graph. `inputs` are the graph's inputs, in their order. Returns its outputs.
  virtual Result<std::vector<mlir::Value>> importSubgraph(const onnx::GraphProto& graph,
                                                          llvm::ArrayRef<mlir::Value> inputs) = 0;
};

}  // namespace vta::compiler
