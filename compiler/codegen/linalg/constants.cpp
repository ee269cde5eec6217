#include "compiler/codegen/linalg/constants.h"

#include "compiler/codegen/passes.h"
#include "compiler/dialects/graph/element_type.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/Support/MathExtras.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace vta::codegen {

#define GEN_PASS_DEF_HOSTHOISTCONSTANTSPASS
#include "compiler/codegen/passes.h.inc"

namespace {

using namespace mlir;

LogicalResult hoistConstants(func::FuncOp function, FunctionConstants& constants,
                             size_t largest_inline_bytes) {
  llvm::DenseMap<Attribute, Value> arguments;
  SmallVector<arith::ConstantOp> ops;
  function.walk([&](arith::ConstantOp op) { ops.push_back(op); });
  for (arith::ConstantOp op : ops) {
    auto type = dyn_cast<RankedTensorType>(op.getType());
    auto elements = dyn_cast<ElementsAttr>(op.getValue());
    if (!type || !elements) continue;
    if (type.getNumElements() == 0) {  // LLVM has no constants without elements
      OpBuilder builder(op);
      op.replaceAllUsesWith(
          builder.create<tensor::EmptyOp>(op.getLoc(), type.getShape(), type.getElementType())
              .getResult());
      op.erase();
      continue;
    }
    const bool resource = isa<DenseResourceElementsAttr>(elements);
    const size_t element_bytes = llvm::divideCeil(type.getElementTypeBitWidth(), 8);
    if (element_bytes * type.getNumElements() <= largest_inline_bytes && !resource) continue;
    Value& argument = arguments[elements];
    if (!argument) {
      std::optional<Tensor> tensor = graph::tensorOf(elements);
      if (!tensor) return op.emitError("constant of a type that host code does not handle");
      argument = addConstantArgument(function, type, *std::move(tensor), constants);
    }
    op.replaceAllUsesWith(argument);
    op.erase();
  }
  return success();
}

class HoistConstantsPass : public impl::HostHoistConstantsPassBase<HoistConstantsPass> {
 public:
  explicit HoistConstantsPass(FunctionConstants* constants = nullptr,
                              size_t largest_inline_bytes = kLargestInlineBytes)
      : constants_(constants), largest_inline_bytes_(largest_inline_bytes) {}

  void runOnOperation() override {
    FunctionConstants unwanted;
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      if (!function.isPublic()) continue;
      if (failed(hoistConstants(function, constants_ ? *constants_ : unwanted,
                                largest_inline_bytes_))) {
        return signalPassFailure();
      }
    }
  }

 private:
  FunctionConstants* constants_;
  size_t largest_inline_bytes_;
};

}  // namespace

Value addConstantArgument(func::FuncOp function, RankedTensorType type, Tensor tensor,
                          FunctionConstants& constants) {
  unsigned position = function.getNumArguments();
  function.insertArgument(position, type, DictionaryAttr(), function.getLoc());
  constants[function.getName().str()].push_back(std::move(tensor));
  return function.getArgument(position);
}

std::unique_ptr<Pass> createHostHoistConstantsPass(FunctionConstants* constants,
                                                   size_t largest_inline_bytes) {
  return std::make_unique<HoistConstantsPass>(constants, largest_inline_bytes);
}

}  // namespace vta::codegen
