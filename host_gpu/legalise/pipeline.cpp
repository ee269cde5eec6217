#include "compiler/codegen/passes.h"
#include "host_gpu/legalise/passes.h"
#include "mlir/Conversion/AffineToStandard/AffineToStandard.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

namespace vta::codegen {

namespace {

#define GEN_PASS_REGISTRATION
#include "host_gpu/legalise/passes.h.inc"

void simplify(mlir::OpPassManager& manager) {
  manager.addPass(mlir::createCanonicalizerPass());
  manager.addPass(mlir::createCSEPass());
}

}  // namespace

void buildLegaliseKernelPipeline(mlir::OpPassManager& manager) {
  manager.addPass(mlir::createLowerAffinePass());
  simplify(manager);
  // An address that a loop does not change is then computed in front of it.
  manager.addPass(mlir::createLoopInvariantCodeMotionPass());
  manager.addPass(createGpuRoundDivisionsPass());
  manager.addPass(createGpuExpandFunctionsPass());
  manager.addPass(createHostExpandExpPass());
  manager.addPass(createGpuExpandMathPass());
  manager.addPass(createGpuExpandHalvesPass());
  manager.addPass(createGpuBuffersToWordsPass());
  simplify(manager);
  manager.addPass(createGpuWidenIntegersPass());
  manager.addPass(createGpuExpandWideIntegersPass());
  manager.addPass(mlir::arith::createArithEmulateWideInt({/*widestIntSupported=*/32}));
  simplify(manager);
  manager.addPass(mlir::createLoopInvariantCodeMotionPass());
}

void buildPlainProductsPipeline(mlir::OpPassManager& manager) {
  manager.addPass(createGpuExpandDotProductsPass());
  simplify(manager);
}

void registerHostGpu() {
  registerHostGpuPasses();
  mlir::PassPipelineRegistration<>("gpu-legalise-kernel",
                                   "All that makes a kernel legal on every GPU",
                                   buildLegaliseKernelPipeline);
}

}  // namespace vta::codegen
