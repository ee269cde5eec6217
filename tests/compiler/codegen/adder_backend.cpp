#include "tests/compiler/codegen/adder_backend.h"

#include "compiler/codegen/llvm/emit_object.h"
#include "compiler/codegen/llvm/target.h"
#include "compiler/codegen/passes.h"
#include "compiler/common/diagnostics.h"
#include "compiler/dialects/graph/graph.h"
#include "compiler/dialects/graph/work.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/Passes.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Pass/PassManager.h"

namespace vta::codegen::testing {

Status AdderBackend::canRun(mlir::Operation* op) const {
  auto binary = mlir::dyn_cast<graph::BinaryOp>(op);
  if (!binary || binary.getKind() != graph::BinaryKind::add) return unsupported("it is no sum");
  if (!mlir::getElementTypeOrSelf(binary.getType()).isF32()) return unsupported("it is no float");
  return {};
}

int64_t AdderBackend::cost(mlir::Operation* op) const { return graph::countResultElems(op); }

Result<CompiledCode> AdderBackend::compile(mlir::ModuleOp module,
                                           const CodeOptions& options) const {
  VTA_ASSIGN_OR_RETURN(const auto machine, createTargetMachine(options.target, options.quality));
  loadCodegenDialects(*module.getContext());
  for (auto function : module.getOps<mlir::func::FuncOp>()) {
    functions_compiled_ += function.isPublic() ? 1 : 0;
  }
  CompiledCode code;
  compiler::DiagnosticCollector diagnostics(module.getContext());
  mlir::PassManager manager(module.getContext(), mlir::ModuleOp::getOperationName());
  manager.addPass(createHostInlineCallsPass());
  manager.addPass(createHostAddContextPass());
  buildFusedLinalgPipeline(manager);
  manager.addPass(createHostHoistConstantsPass(&code.constants));
  buildBufferPipeline(manager);
  manager.addNestedPass<mlir::func::FuncOp>(mlir::createConvertLinalgToLoopsPass());
  buildLlvmPipeline(manager, cpuTraits(*machine).pointer_bits);
  if (mlir::failed(manager.run(module))) return diagnostics.takeStatus("compile sums");
  VTA_ASSIGN_OR_RETURN(auto objects,
                       emitObjects(module, *machine, options, ObjectCache(options.cache_folder)));
  code.addObjects(std::move(objects));
  return code;
}

}  // namespace vta::codegen::testing
