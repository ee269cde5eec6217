#include "compiler/codegen/passes.h"
#include "host_cpu/backend/passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/Passes.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

namespace vta::codegen {

using namespace mlir;

void buildCpuPipeline(OpPassManager& manager, const CpuTraits& traits, const CodeOptions& options,
                      CompiledCode* code) {
  manager.addPass(createHostInlineCallsPass());
  manager.addPass(createCanonicalizerPass());
  manager.addPass(createCSEPass());
  manager.addPass(createHostAddContextPass());
  // The kernels load vectors, which MLIR's lowering addresses with 64 bits only.
  if (traits.pointer_bits == 64) {
    manager.addPass(createCpuBlockChannelsPass(traits, code, options));
  }
  buildFusedLinalgPipeline(manager);
  if (traits.has_fma) manager.addPass(createCpuFuseMultiplyAddsPass());
  manager.addPass(createHostHoistConstantsPass(code ? &code->constants : nullptr));
  buildBufferPipeline(manager);
  manager.addNestedPass<func::FuncOp>(createConvertLinalgToParallelLoopsPass());
  buildCpuLoopPipeline(manager, traits, options.parallel, code);
}

void buildCpuLoopPipeline(OpPassManager& manager, const CpuTraits& traits, bool parallel,
                          CompiledCode* code) {
  manager.addPass(createCanonicalizerPass());
  manager.addPass(createCSEPass());
  manager.addPass(createCpuShareLoopsPass());
  manager.addPass(createCpuMarkLayersPass(code));
  manager.addPass(createCpuSplitLoopsPass({parallel}));
  buildLlvmPipeline(manager, traits.pointer_bits);
}

}  // namespace vta::codegen
