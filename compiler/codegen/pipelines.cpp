// The order of the passes that back ends share.
#include "compiler/codegen/graph_to_linalg/graph_to_linalg.h"
#include "compiler/codegen/passes.h"
#include "mlir/Conversion/AffineToStandard/AffineToStandard.h"
#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/FuncToLLVM/ConvertFuncToLLVMPass.h"
#include "mlir/Conversion/MathToFuncs/MathToFuncs.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/MathToLibm/MathToLibm.h"
#include "mlir/Conversion/MemRefToLLVM/MemRefToLLVM.h"
#include "mlir/Conversion/ReconcileUnrealizedCasts/ReconcileUnrealizedCasts.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVMPass.h"
#include "mlir/Dialect/Bufferization/Transforms/OneShotAnalysis.h"
#include "mlir/Dialect/Bufferization/Transforms/Passes.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "mlir/Transforms/Passes.h"

namespace vta::codegen {

using namespace mlir;

namespace {

/// `level` says what is done to blocks. Structured loops have one each, so there is nothing to do.
void cleanUp(OpPassManager& manager,
             GreedySimplifyRegionLevel level = GreedySimplifyRegionLevel::Disabled) {
  GreedyRewriteConfig config;
  config.enableRegionSimplification = level;
  manager.addPass(createCanonicalizerPass(config));
  manager.addPass(createCSEPass());
}

}  // namespace

void buildFusedLinalgPipeline(OpPassManager& manager,
                              const HostFuseElementwisePassOptions& options) {
  manager.addPass(compiler::createConvertGraphToLinalgPass());
  cleanUp(manager);
  manager.addPass(createHostFuseElementwisePass(options));
  cleanUp(manager);
  manager.addPass(createHostOrderLoopsPass());
}

void buildBufferizationPipeline(OpPassManager& manager) {
  manager.addPass(createHostResultsToArgumentsPass());
  manager.addPass(createHostPlaceConcatsPass());
  bufferization::OneShotBufferizationOptions options;
  options.bufferAlignment = 64;
  manager.addPass(bufferization::createEmptyTensorEliminationPass());
  manager.addPass(bufferization::createEmptyTensorToAllocTensorPass());
  manager.addPass(bufferization::createOneShotBufferizePass(options));
  cleanUp(manager);
  manager.addPass(createHostCopiesToLinalgPass());
}

void buildBufferPlanPipeline(OpPassManager& manager, const HostPlanBuffersPassOptions& options) {
  manager.addPass(createHostPlanBuffersPass(options));
  manager.addPass(createHostReportBadIndicesPass());
}

void buildBufferPipeline(OpPassManager& manager) {
  buildBufferizationPipeline(manager);
  buildBufferPlanPipeline(manager);
}

void buildLlvmPipeline(OpPassManager& manager, unsigned index_bits) {
  manager.addPass(createHostExpandExpPass());
  manager.addPass(createHostIndexWidthPass({index_bits}));
  manager.addPass(memref::createExpandStridedMetadataPass());
  // Behind that pass, which takes the address of a view for that of the whole.
  manager.addPass(createHostCallOperatorsPass());
  manager.addPass(createLowerAffinePass());
  cleanUp(manager);
  manager.addPass(createConvertSCFToCFPass());
  manager.addPass(createConvertMathToFuncs());
  manager.addPass(createConvertVectorToLLVMPass(ConvertVectorToLLVMPassOptions()));
  manager.addPass(createConvertMathToLLVMPass(ConvertMathToLLVMPassOptions()));
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
  // LLVM looks for equal blocks itself.
  cleanUp(manager, GreedySimplifyRegionLevel::Normal);
}

}  // namespace vta::codegen
