#include "host_cpu/backend/outline_loop.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "mlir/Transforms/RegionUtils.h"

namespace vta::codegen {

namespace {

using namespace mlir;

/// Constants and views are cheap, and views hide that buffers are distinct: they are made anew in
/// the outlined function.
bool isRematerialized(Operation* op) {
  return isa<arith::ConstantOp, memref::GetGlobalOp>(op) ||
         (isa<ViewLikeOpInterface>(op) && !isa<memref::ViewOp>(op)) || isa<memref::CastOp>(op);
}

/// Everything that the loop uses from outside, with what is rematerialised replaced by what that
/// needs. `clones` lists the ops to rebuild, in order.
SetVector<Value> capturedValues(Operation* loop, SetVector<Operation*>& clones) {
  SetVector<Value> used, captured;
  getUsedValuesDefinedAbove(loop->getRegions(), used);
  for (Value operand : loop->getOperands()) used.insert(operand);
  std::function<void(Value)> visit = [&](Value value) {
    Operation* op = value.getDefiningOp();
    if (!op || !isRematerialized(op)) {
      captured.insert(value);
      return;
    }
    if (clones.contains(op)) return;
    for (Value operand : op->getOperands()) visit(operand);
    clones.insert(op);
  };
  for (Value value : used) visit(value);
  return captured;
}

/// Distinct buffers: kernel arguments that cannot alias.
bool capturesDistinctBuffers(const SetVector<Value>& captured) {
  // Views were rematerialised, so two captured buffers are two allocations, arguments or views of
  // the arena at places that do not overlap while both are alive.
  return llvm::all_of(captured, [](Value value) {
    return !isa<MemRefType>(value.getType()) ||
           cast<MemRefType>(value.getType()).getLayout().isIdentity();
  });
}

}  // namespace

OutlinedLoop copyToFunction(Operation* loop, StringRef name, ArrayRef<Value> leading,
                            ArrayRef<Type> more) {
  auto parent = loop->getParentOfType<func::FuncOp>();
  ImplicitLocOpBuilder b(loop->getLoc(), parent);
  SetVector<Operation*> clones;
  SetVector<Value> captured(leading.begin(), leading.end());
  for (Value value : capturedValues(loop, clones)) captured.insert(value);
  SmallVector<Type> types;
  for (Value value : captured) types.push_back(value.getType());
  types.append(more.begin(), more.end());
  auto function = b.create<func::FuncOp>(name, b.getFunctionType(types, {}));
  function.setPrivate();
  Block* block = function.addEntryBlock();
  if (capturesDistinctBuffers(captured)) {
    for (auto [i, value] : llvm::enumerate(captured)) {
      if (isa<MemRefType>(value.getType())) {
        function.setArgAttr(i, LLVM::LLVMDialect::getNoAliasAttrName(), b.getUnitAttr());
      }
    }
  }
  b.setInsertionPointToStart(block);
  IRMapping mapping;
  for (auto [value, argument] : llvm::zip(captured, block->getArguments())) {
    mapping.map(value, argument);
  }
  for (Operation* op : clones) b.clone(*op, mapping);
  Operation* copy = b.clone(*loop, mapping);
  b.create<func::ReturnOp>();
  return {function, copy, SmallVector<Value>(captured.begin(), captured.end())};
}

}  // namespace vta::codegen
