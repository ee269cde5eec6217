// host-results-to-arguments: functions on buffers that their caller provides.
#include "compiler/codegen/passes.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace vta::codegen {

#define GEN_PASS_DEF_HOSTRESULTSTOARGUMENTSPASS
#include "compiler/codegen/passes.h.inc"

namespace {

using namespace mlir;

/// A tensor without elements is passed as a buffer of one, which nothing touches: the conversion to
/// LLVM knows no arrays of extent 0.
MemRefType bufferType(Type type) {
  auto tensor = cast<RankedTensorType>(type);
  if (tensor.getNumElements() == 0) return MemRefType::get({1}, tensor.getElementType());
  return MemRefType::get(tensor.getShape(), tensor.getElementType());
}

/// (context, inputs, constants) -> results becomes (context, inputs, constants, results) -> ().
void rewriteSignature(func::FuncOp function) {
  OpBuilder builder(function.getContext());
  Location loc = function.getLoc();
  Block& body = function.getBody().front();
  SmallVector<Type> types = {body.getArgument(0).getType()};
  builder.setInsertionPointToStart(&body);
  for (BlockArgument argument : body.getArguments().drop_front()) {
    auto tensor_type = cast<RankedTensorType>(argument.getType());
    types.push_back(bufferType(tensor_type));
    if (tensor_type.getNumElements() == 0) {
      argument.replaceAllUsesWith(builder.create<tensor::EmptyOp>(loc, tensor_type, ValueRange()));
      argument.setType(types.back());
      continue;
    }
    argument.setType(types.back());
    auto tensor = builder.create<bufferization::ToTensorOp>(loc, tensor_type, argument);
    tensor.setRestrict(true);
    argument.replaceAllUsesExcept(tensor, tensor);
  }
  Operation* terminator = body.getTerminator();
  builder.setInsertionPoint(terminator);
  for (Value result : terminator->getOperands()) {
    types.push_back(bufferType(result.getType()));
    Value destination = body.addArgument(types.back(), loc);
    if (cast<RankedTensorType>(result.getType()).getNumElements() == 0) continue;
    auto store =
        builder.create<bufferization::MaterializeInDestinationOp>(loc, Type(), result, destination);
    store.setRestrict(true);
    store.setWritable(true);
  }
  terminator->setOperands({});
  function.setFunctionType(builder.getFunctionType(types, {}));
  function.removeArgAttrsAttr();
  function.removeResAttrsAttr();
  function->setAttr(kEntryAttr, builder.getUnitAttr());
}

/// One tensor.empty for each use: elimination would let ops that share one share a result buffer.
void separateEmptyTensors(ModuleOp module) {
  SmallVector<tensor::EmptyOp> ops;
  module.walk([&](tensor::EmptyOp op) { ops.push_back(op); });
  for (tensor::EmptyOp op : ops) {
    for (OpOperand& use : llvm::make_early_inc_range(op->getUses())) {
      OpBuilder builder(use.getOwner());
      use.set(builder.clone(*op)->getResult(0));
    }
    op.erase();
  }
}

class ResultsToArgumentsPass : public impl::HostResultsToArgumentsPassBase<ResultsToArgumentsPass> {
 public:
  void runOnOperation() override {
    ModuleOp module = getOperation();
    for (auto function : module.getOps<func::FuncOp>()) {
      if (!function.isPublic()) continue;
      if (function.getNumArguments() == 0 ||
          !isa<LLVM::LLVMPointerType>(function.getArgumentTypes().front())) {
        function.emitError("the first argument is not the host context");
        return signalPassFailure();
      }
      rewriteSignature(function);
    }
    separateEmptyTensors(module);
  }
};

}  // namespace
}  // namespace vta::codegen
