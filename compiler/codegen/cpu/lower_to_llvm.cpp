// From loops and buffers to the LLVM dialect.
#include "compiler/codegen/cpu/passes.h"
#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/DLTI/DLTI.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Linalg/Transforms/SubsetInsertionOpInterfaceImpl.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tensor/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Tensor/Transforms/SubsetInsertionOpInterfaceImpl.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Transforms/Passes.h"

namespace vta::host {

using namespace mlir;

void loadDialects(MLIRContext& context) {
  DialectRegistry registry;
  arith::registerBufferizableOpInterfaceExternalModels(registry);
  linalg::registerBufferizableOpInterfaceExternalModels(registry);
  linalg::registerSubsetOpInterfaceExternalModels(registry);
  scf::registerBufferizableOpInterfaceExternalModels(registry);
  tensor::registerBufferizableOpInterfaceExternalModels(registry);
  tensor::registerSubsetOpInterfaceExternalModels(registry);
  registerBuiltinDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
  context.appendDialectRegistry(registry);
  context
      .loadDialect<affine::AffineDialect, arith::ArithDialect, bufferization::BufferizationDialect,
                   cf::ControlFlowDialect, DLTIDialect, func::FuncDialect, linalg::LinalgDialect,
                   LLVM::LLVMDialect, math::MathDialect, memref::MemRefDialect, scf::SCFDialect,
                   tensor::TensorDialect, vector::VectorDialect>();
}

namespace {

/// Every conversion takes the width of an index from here.
void setIndexWidth(ModuleOp module, unsigned bits) {
  Builder b(module.getContext());
  auto entry = DataLayoutEntryAttr::get(b.getIndexType(), b.getI64IntegerAttr(bits));
  module->setAttr(DLTIDialect::kDataLayoutAttrName,
                  DataLayoutSpecAttr::get(module.getContext(), {entry}));
}

}  // namespace

LogicalResult lowerToLlvmDialect(ModuleOp module, unsigned index_bits) {
  setIndexWidth(module, index_bits);
  PassManager manager(module.getContext(), "builtin.module");
  manager.addPass(memref::createExpandStridedMetadataPass());
  manager.addPass(createLowerAffinePass());
  manager.addPass(createCanonicalizerPass());
  manager.addPass(createCSEPass());
  manager.addPass(createConvertSCFToCFPass());
  manager.addPass(createConvertMathToFuncs());
  ConvertVectorToLLVMPassOptions vector_options;
  manager.addPass(createConvertVectorToLLVMPass(vector_options));
  ConvertMathToLLVMPassOptions math_options;
  manager.addPass(createConvertMathToLLVMPass(math_options));
  manager.addPass(createConvertMathToLibmPass());
  ConvertFuncToLLVMPassOptions func_options;
  func_options.useBarePtrCallConv = true;
  manager.addPass(createConvertFuncToLLVMPass(func_options));
  FinalizeMemRefToLLVMConversionPassOptions memref_options;
  memref_options.useAlignedAlloc = true;
  manager.addPass(createFinalizeMemRefToLLVMConversionPass(memref_options));
  manager.addPass(createArithToLLVMConversionPass());
  manager.addPass(createConvertControlFlowToLLVMPass());
  manager.addPass(createReconcileUnrealizedCastsPass());
  manager.addPass(createCanonicalizerPass());
  manager.addPass(createCSEPass());
  return manager.run(module);
}

}  // namespace vta::host
