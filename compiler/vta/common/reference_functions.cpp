#include "compiler/vta/common/reference_functions.h"

namespace vta::compiler {

mlir::func::FuncOp copyWithArgument(mlir::func::FuncOp old, llvm::StringRef suffix, unsigned index,
                                    mlir::RankedTensorType type, RebuildArgument rebuild,
                                    mlir::SymbolTable& symbols) {
  mlir::func::FuncOp copy = old.clone();
  copy.setSymName((old.getSymName() + suffix).str());
  mlir::BlockArgument argument = copy.getArgument(index);
  const auto original = mlir::cast<mlir::RankedTensorType>(argument.getType());
  mlir::OpBuilder builder = mlir::OpBuilder::atBlockBegin(&copy.getBody().front());
  llvm::SmallVector<mlir::Type> inputs(copy.getArgumentTypes());
  inputs[index] = type;
  copy.setFunctionType(builder.getFunctionType(inputs, copy.getResultTypes()));
  const llvm::SmallVector<mlir::OpOperand*> uses = llvm::to_vector(
      llvm::map_range(argument.getUses(), [](mlir::OpOperand& use) { return &use; }));
  argument.setType(type);
  mlir::Value before = rebuild(builder, argument, original);
  for (mlir::OpOperand* use : uses) use->set(before);
  symbols.insert(copy);
  return copy;
}

void eraseIfUnused(mlir::func::FuncOp reference, mlir::SymbolTable& symbols) {
  if (mlir::SymbolTable::symbolKnownUseEmpty(reference, symbols.getOp())) symbols.erase(reference);
}

void replaceReference(KernelOp op, mlir::func::FuncOp old, mlir::func::FuncOp reference,
                      mlir::SymbolTable& symbols) {
  op.setReference(reference.getSymName());
  eraseIfUnused(old, symbols);
}

}  // namespace vta::compiler
