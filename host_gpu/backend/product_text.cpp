#include "host_gpu/backend/product_text.h"

#include <utility>

#include "llvm/Support/raw_ostream.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "mlir/Transforms/RegionUtils.h"

namespace vta::codegen {
namespace {

using namespace mlir;

char kindOf(const Contraction& contraction, unsigned loop) {
  const std::pair<ArrayRef<unsigned>, char> kinds[] = {{contraction.batch, 'b'},
                                                       {contraction.rows, 'm'},
                                                       {contraction.columns, 'n'},
                                                       {contraction.depth, 'k'}};
  for (const auto& [loops, kind] : kinds) {
    if (llvm::is_contained(loops, loop)) return kind;
  }
  return 'x';  // of one round
}

void printOperand(const LinearOperand& operand, llvm::raw_ostream& out) {
  out << cast<MemRefType>(operand.buffer.getType()).getElementType() << " [";
  llvm::interleave(operand.coefficients, out, " ");
  out << ']';
}

void printStep(const EpilogueStep& step, llvm::raw_ostream& out) {
  linalg::LinalgOp op = step.op;
  for (Operation& inner : op.getBlock()->without_terminator()) out << ' ' << inner.getName();
  for (const std::optional<LinearOperand>& input : step.inputs) {
    out << ", ";
    if (input) {
      printOperand(*input, out);
    } else {
      out << "constant";
    }
  }
  out << " to ";
  printOperand(step.out, out);
}

/// Copies what a group is computed by into a function of its own.
class Isolator {
 public:
  explicit Isolator(Operation* root)
      : module_(ModuleOp::create(root->getLoc())), b_(root->getContext()) {
    b_.setInsertionPointToEnd(module_->getBody());
    function_ = b_.create<func::FuncOp>(root->getLoc(), kProductFunction,
                                        b_.getFunctionType({b_.getIndexType()}, {}));
    Block* block = function_.addEntryBlock();
    b_.setInsertionPointToEnd(block);
    b_.setInsertionPoint(b_.create<func::ReturnOp>(root->getLoc()));
    SetVector<Value> used(root->operand_begin(), root->operand_end());
    getUsedValuesDefinedAbove(root->getRegions(), used);
    for (const Value value : used) take(value);
    b_.clone(*root, mapping_);
  }

  std::string text() {
    std::string text;
    llvm::raw_string_ostream(text) << *module_;
    return text;
  }

 private:
  /// Views of memory of the function's own are buffers, what else leads to them comes along.
  void take(Value value) {
    if (mapping_.contains(value)) return;
    Operation* producer = value.getDefiningOp();
    const bool is_buffer =
        isa<MemRefType>(value.getType()) &&
        (isa_and_nonnull<memref::ViewOp, memref::AllocOp>(producer) || producer == nullptr);
    if (is_buffer) {
      const unsigned number = function_.getNumArguments();
      function_.insertArgument(number, value.getType(), {}, value.getLoc());
      mapping_.map(value, function_.getArgument(number));
      return;
    }
    for (const Value operand : producer->getOperands()) take(operand);
    b_.clone(*producer, mapping_);
  }

  OwningOpRef<ModuleOp> module_;
  OpBuilder b_;
  func::FuncOp function_;
  IRMapping mapping_;
};

}  // namespace

std::string productKernel(const Product& product) {
  const Contraction& contraction = product.contraction;
  std::string text;
  llvm::raw_string_ostream out(text);
  out << "loops";
  for (const auto [loop, extent] : llvm::enumerate(contraction.extents)) {
    out << ' ' << extent << kindOf(contraction, static_cast<unsigned>(loop));
  }
  out << "; ";
  printOperand(contraction.left, out);
  out << " * ";
  printOperand(contraction.right, out);
  out << " to " << contraction.sum << ' ';
  printOperand(contraction.out, out);
  if (product.initial) {
    out << " from ";
    printOperand(*product.initial, out);
  }
  for (const EpilogueStep& step : product.steps) {
    out << ';';
    printStep(step, out);
  }
  return text;
}

std::string productCode(const OpGroup& group) {
  Operation* first = linalg::LinalgOp(group.front());
  Operation* parent = first->getParentOp();
  return Isolator(isa<scf::ExecuteRegionOp>(parent) ? parent : first).text();
}

}  // namespace vta::codegen
