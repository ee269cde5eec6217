#include "host_gpu/llvm/compile_kernel.h"

#include <optional>

#include "compiler/codegen/llvm/machine_code.h"
#include "llvm/IR/Verifier.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetMachine.h"

namespace vta::codegen {
namespace {

Result<std::unique_ptr<llvm::TargetMachine>> createMachine(const GpuMachine& wanted) {
  std::string error;
  const llvm::Target* found = llvm::TargetRegistry::lookupTarget(wanted.triple, error);
  if (found == nullptr) return internalError(error);
  llvm::TargetOptions options;
  // Operations with the flag `contract` become one all the same. "Strict" also makes PTX say .rn of
  // each sum and product, which the driver's compiler leaves as they are.
  options.AllowFPOpFusion = llvm::FPOpFusion::Strict;
  std::unique_ptr<llvm::TargetMachine> machine(found->createTargetMachine(
      wanted.triple, wanted.cpu, wanted.features, options, llvm::Reloc::PIC_, std::nullopt,
      llvm::CodeGenOptLevel::Aggressive));
  if (!machine) return internalError("no code generator");
  return machine;
}

/// Nothing links kernels with a library.
Status checkCalls(const llvm::Module& code) {
  for (const llvm::Function& function : code) {
    if (!function.isDeclaration() || function.isIntrinsic()) continue;
    return internalError("nobody has a function " + function.getName().str());
  }
  return {};
}

void optimizeKernel(llvm::Module& code, llvm::TargetMachine& machine) {
  llvm::PipelineTuningOptions tuning;
  // Each invocation computes one number after the other.
  tuning.LoopVectorization = tuning.SLPVectorization = tuning.LoopInterleaving = false;
  runLlvmPasses(code, machine, tuning, [](llvm::PassBuilder& builder, auto&) {
    return builder.buildPerModuleDefaultPipeline(llvm::OptimizationLevel::O2);
  });
}

}  // namespace

Result<llvm::SmallVector<char, 0>> compileKernel(llvm::Module& code, const GpuMachine& wanted) {
  VTA_RETURN_IF_ERROR(checkCalls(code));
  VTA_ASSIGN_OR_RETURN(const std::unique_ptr<llvm::TargetMachine> machine, createMachine(wanted));
  code.setTargetTriple(wanted.triple);
  code.setDataLayout(machine->createDataLayout());
  std::string problem;
  llvm::raw_string_ostream problems(problem);
  if (llvm::verifyModule(code, &problems)) return internalError("invalid LLVM IR: " + problem);
  optimizeKernel(code, *machine);
  return emitFile(code, *machine, wanted.type);
}

}  // namespace vta::codegen
