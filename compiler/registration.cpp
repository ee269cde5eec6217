#include "compiler/registration.h"

#include "compiler/codegen/graph_to_linalg/graph_to_linalg.h"
#include "compiler/codegen/llvm/cpu_traits.h"
#include "compiler/codegen/passes.h"
#include "compiler/dialects/graph/graph.h"
#include "compiler/dialects/vta/vta.h"
#include "compiler/graph_passes/passes.h"
#include "compiler/vta/passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

namespace vta::codegen {
namespace {

#define GEN_PASS_REGISTRATION
#include "compiler/codegen/passes.h.inc"

void registerPipelines() {
  mlir::PassPipelineRegistration<>(
      "host-fused-linalg", "From graph ops to fused linalg on tensors",
      [](mlir::OpPassManager& manager) { buildFusedLinalgPipeline(manager); });
  mlir::PassPipelineRegistration<>("host-buffers", "From tensors to buffers, one allocation a call",
                                   buildBufferPipeline);
  mlir::PassPipelineRegistration<>(
      "host-llvm", "From loops and buffers to the LLVM dialect",
      [](mlir::OpPassManager& manager) { buildLlvmPipeline(manager, CpuTraits().pointer_bits); });
}

}  // namespace
}  // namespace vta::codegen

namespace vta::compiler {
namespace {

#define GEN_PASS_REGISTRATION
#include "compiler/codegen/graph_to_linalg/passes.h.inc"
#define GEN_PASS_REGISTRATION
#include "compiler/graph_passes/passes.h.inc"
#define GEN_PASS_REGISTRATION
#include "compiler/vta/passes.h.inc"

}  // namespace

void registerAllDialects(mlir::DialectRegistry& registry) {
  registry.insert<graph::GraphDialect, VtaDialect>();
  registry.insert<mlir::arith::ArithDialect, mlir::func::FuncDialect, mlir::linalg::LinalgDialect,
                  mlir::tensor::TensorDialect>();
  codegen::registerCodegenDialects(registry);
}

void registerAllPasses() {
  mlir::registerTransformsPasses();
  registerGraphPasses();
  registerGraphToLinalgPasses();
  registerVtaPasses();
  codegen::registerCodegenPasses();
  codegen::registerPipelines();
  mlir::PassPipelineRegistration<>("graph-optimize", "Optimise a float graph",
                                   buildGraphOptimizationPipeline);
}

}  // namespace vta::compiler
