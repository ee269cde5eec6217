// What a node sees of the graph around it.
#pragma once

#include <string>
#include <vector>

#include "base/status.h"
#include "compiler/frontend/onnx/element_ranges.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "mlir/IR/Block.h"
#include "mlir/IR/Value.h"
#include "onnx/onnx_pb.h"

namespace vta::compiler {

/// The elements of a value that is a sequence of tensors.
using Sequence = std::vector<mlir::Value>;

/// A tensor of which a part is valid: the first `count` positions of dimension `axis`, where
/// `count` is a value of the graph, a 0-D i64. What lies behind them has no meaning. How many there
/// are at most is the dimension's extent.
struct RowCount {
  int64_t axis = 0;
  mlir::Value count;
};

class NodeScope {
 public:
  virtual ~NodeScope() = default;

  /// Which part of `value` is valid; null: all of it.
  virtual const RowCount* rowCount(mlir::Value value) const = 0;
  virtual void setRowCount(mlir::Value value, const RowCount& rows) = 0;

  /// What is known of the elements of a small tensor of integers; see element_ranges.h.
  virtual std::vector<Range> rangesOf(mlir::Value value) const = 0;
  /// `value`, a 0-D i64, is from 0 to `most`.
  virtual void setMost(mlir::Value value, int64_t most) = 0;

  /// The value of an ONNX name, or null. The inputs of the node that is being imported are there.
  virtual mlir::Value find(llvm::StringRef name) const = 0;

  /// A new block for a graph that an op will have inside. It lives as long as the import, unless
  /// its region becomes the op's.
  virtual mlir::Block& newBlock() = 0;

  /// The elements of the sequence that an ONNX name stands for, or null if it stands for none.
  virtual const Sequence* findSequence(llvm::StringRef name) const = 0;

  /// The element type that values of a TensorProto::DataType are computed in; see computedType in
  /// tensor_proto.h.
  virtual Result<mlir::Type> computedType(int32_t onnx_type) const = 0;

  /// Tells the user what the import assumes, in a sentence.
  virtual void note(const std::string& text) = 0;

  /// Imports a graph that is an attribute of the node, as part of the graph around it; it sees the
  /// names of that graph. `inputs` are the graph's inputs, in their order. Returns its outputs.
  virtual Result<std::vector<mlir::Value>> importSubgraph(const onnx::GraphProto& graph,
                                                          llvm::ArrayRef<mlir::Value> inputs) = 0;
};

}  // namespace vta::compiler
