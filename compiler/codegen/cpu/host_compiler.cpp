#include "compiler/codegen/cpu/host_compiler.h"

#include "compiler/codegen/cpu/codegen.h"
#include "compiler/codegen/cpu/passes.h"
#include "compiler/codegen/cpu/target.h"
#include "compiler/common/diagnostics.h"

namespace vta::host {
namespace {

using namespace mlir;

LogicalResult runStages(ModuleOp module, const HostOptions& options, const CpuTraits& traits,
                        FunctionConstants& constants) {
  if (failed(prepareTensors(module, traits, constants)) || failed(bufferize(module)) ||
      failed(lowerToLoops(module, options.parallel))) {
    return failure();
  }
  return lowerToLlvmDialect(module, traits.pointer_bits);
}

}  // namespace

Result<HostObject> compileToObject(ModuleOp module, const HostOptions& options) {
  VTA_ASSIGN_OR_RETURN(std::unique_ptr<llvm::TargetMachine> machine,
                       createTargetMachine(options.target, options.optimize));
  loadDialects(*module.getContext());
  compiler::DiagnosticCollector diagnostics(module.getContext());
  HostObject object;
  if (failed(runStages(module, options, cpuTraits(*machine), object.constants))) {
    return unsupported("CPU code generation: " + diagnostics.take());
  }
  VTA_ASSIGN_OR_RETURN(object.elf, emitObject(module, *machine, options.optimize));
  return object;
}

}  // namespace vta::host
