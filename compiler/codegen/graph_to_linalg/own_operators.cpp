#include "compiler/codegen/graph_to_linalg/own_operators.h"

#include "compiler/codegen/graph_to_linalg/graph_to_linalg.h"
#include "compiler/codegen/graph_to_linalg/loops.h"
#include "compiler/dialects/graph/own/own_node.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace vta::compiler::graph_to_linalg {
namespace {

using namespace mlir;

/// Declarations of what calls have instead of a library, one for each signature.
class Declarations {
 public:
  explicit Declarations(ModuleOp module) : module_(module) {}

  func::FuncOp of(FunctionType type) {
    func::FuncOp& known = known_[type];
    if (known) return known;
    std::string name;
    do {
      name = kOwnOperatorPrefix + std::to_string(next_++);
    } while (module_.lookupSymbol(name));
    OpBuilder b(module_.getBody(), module_.getBody()->begin());
    known = b.create<func::FuncOp>(module_.getLoc(), name, type);
    known.setPrivate();
    return known;
  }

 private:
  ModuleOp module_;
  llvm::DenseMap<Type, func::FuncOp> known_;
  size_t next_ = 0;
};

bool isEmpty(Value value) { return tensorType(value).getNumElements() == 0; }

void lowerOwn(graph::OwnOp op, Declarations& declarations) {
  Builder b(op.getLoc(), op);
  SmallVector<Value> buffers, results;
  for (const Value input : op.getInputs()) {
    if (!isEmpty(input)) buffers.push_back(readBuffer(b, signlessValue(b, input)));
  }
  for (const Value output : op.getOutputs()) {
    const RankedTensorType type = signlessType(output.getType());
    if (isEmpty(output)) {
      results.push_back(b.create<tensor::EmptyOp>(type, ValueRange()));
      continue;
    }
    buffers.push_back(newBuffer(b, type.getShape(), type.getElementType()));
    results.push_back(buffers.back());
  }
  const std::vector<std::byte> node = encodeOperatorNode(graph::ownNode(op));
  const TypeRange types{ValueRange(buffers)};
  auto call = b.create<func::CallOp>(declarations.of(b.getFunctionType(types, {})), buffers);
  call->setAttr(kOwnNodeAttr, b.getStringAttr(StringRef(reinterpret_cast<const char*>(node.data()),
                                                        node.size())));
  for (const auto [output, result] : llvm::zip_equal(op.getOutputs(), results)) {
    if (isa<MemRefType>(result.getType())) result = asTensor(b, result);
    result = recast(b, result, tensorType(output).getElementType());
  }
  op.replaceAllUsesWith(results);
  op.erase();
}

}  // namespace

void lowerOwnOperators(Operation* root) {
  SmallVector<graph::OwnOp> ops;
  root->walk([&](graph::OwnOp op) { ops.push_back(op); });
  if (ops.empty()) return;
  auto module = dyn_cast<ModuleOp>(root);
  Declarations declarations(module ? module : root->getParentOfType<ModuleOp>());
  for (const graph::OwnOp op : ops) lowerOwn(op, declarations);
}

}  // namespace vta::compiler::graph_to_linalg
