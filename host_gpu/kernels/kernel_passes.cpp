#include "host_gpu/kernels/kernel_passes.h"

#include "compiler/common/diagnostics.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Pass/PassManager.h"

namespace vta::codegen {

using namespace mlir;

Status runOnKernels(MutableArrayRef<KernelIr> kernels, std::string_view what,
                    llvm::function_ref<void(OpPassManager&)> build) {
  if (kernels.empty()) return {};
  MLIRContext* context = kernels.front().module->getContext();
  OwningOpRef<ModuleOp> all = ModuleOp::create(UnknownLoc::get(context));
  for (KernelIr& kernel : kernels) all->push_back(kernel.module.release());
  compiler::DiagnosticCollector diagnostics(context);
  PassManager manager(context, ModuleOp::getOperationName());
  manager.enableVerifier(false);  // once at the end: behind each pass it takes a sixth of the time
  build(manager.nest<ModuleOp>());
  const bool is_done = succeeded(manager.run(*all)) && succeeded(verify(*all));
  for (KernelIr& kernel : kernels) {
    auto module = cast<ModuleOp>(all->getBody()->front());
    module->remove();
    kernel.module = module;
  }
  return is_done ? Status() : diagnostics.takeStatus(what);
}

}  // namespace vta::codegen
