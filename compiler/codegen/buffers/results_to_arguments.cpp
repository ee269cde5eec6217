// host-results-to-arguments: functions on buffers that their caller provides.
#include "compiler/codegen/passes.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
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
  for (Value result : terminator->getOperands()) {
    types.push_back(bufferType(result.getType()));
    Value destination = body.addArgument(types.back(), loc);
    if (cast<RankedTensorType>(result.getType()).getNumElements() == 0) continue;
    builder.setInsertionPoint(terminator);
    // What is in a buffer already is copied at once: the buffer is free for others then.
    if (result.getDefiningOp<bufferization::ToTensorOp>()) {
      builder.setInsertionPointAfterValue(result);
    }
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

/// What several ops start from, each adding to it in a buffer of its own: a fill for each of them,
/// or a copy. Otherwise the elimination of empty tensors would give the start the result buffer of
/// one of them, in which another one would then compute.
void separateStarts(ModuleOp module) {
  SmallVector<OpOperand*> shared;
  module.walk([&](DestinationStyleOpInterface op) {
    for (OpOperand& init : op.getDpsInitsMutable()) {
      const Value start = init.get();
      const bool is_computed = start.getDefiningOp<DestinationStyleOpInterface>() != nullptr;
      if (is_computed && isa<RankedTensorType>(start.getType()) && !start.hasOneUse()) {
        shared.push_back(&init);
      }
    }
  });
  for (OpOperand* init : shared) {
    OpBuilder builder(init->getOwner());
    if (auto fill = init->get().getDefiningOp<linalg::FillOp>()) {
      init->set(builder.clone(*fill)->getResult(0));
      continue;
    }
    init->set(builder.create<bufferization::AllocTensorOp>(
        init->getOwner()->getLoc(), cast<RankedTensorType>(init->get().getType()), ValueRange(),
        init->get()));
  }
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
    separateStarts(module);
    separateEmptyTensors(module);
  }
};

}  // namespace
}  // namespace vta::codegen
