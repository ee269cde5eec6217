#include "host_gpu/llvm/compile_kernel.h"

#include <fmt/format.h>

#include <memory>
#include <optional>
#include <span>
#include <utility>

#include "compiler/codegen/llvm/machine_code.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Verifier.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetMachine.h"

namespace vta::codegen {
namespace {

// To be raised when this file gives LLVM other work for the same code.
constexpr int kRecipe = 1;

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

Result<KernelBitcode> kernelBitcode(llvm::Module& code, const GpuMachine& wanted) {
  VTA_RETURN_IF_ERROR(checkCalls(code));
  VTA_ASSIGN_OR_RETURN(const std::unique_ptr<llvm::TargetMachine> machine, createMachine(wanted));
  code.setTargetTriple(wanted.triple);
  code.setDataLayout(machine->createDataLayout());
  std::string problem;
  llvm::raw_string_ostream problems(problem);
  if (llvm::verifyModule(code, &problems)) return internalError("invalid LLVM IR: " + problem);
  KernelBitcode kernel{.bitcode = "", .machine = wanted};
  llvm::raw_string_ostream stream(kernel.bitcode);
  llvm::WriteBitcodeToFile(code, stream);
  return kernel;
}

Result<std::vector<std::byte>> compileKernel(const KernelBitcode& kernel,
                                             const ObjectCache& cache) {
  VTA_ASSIGN_OR_RETURN(const std::unique_ptr<llvm::TargetMachine> machine,
                       createMachine(kernel.machine));
  const std::string key =
      objectKey(kernel.bitcode, *machine, fmt::format("{} {}", kernel.machine.triple, kRecipe));
  if (auto known = cache.find(key)) return *std::move(known);
  llvm::LLVMContext context;
  auto code = llvm::parseBitcodeFile(llvm::MemoryBufferRef(kernel.bitcode, "kernel"), context);
  if (!code) return internalError("LLVM IR: " + llvm::toString(code.takeError()));
  optimizeKernel(**code, *machine);
  VTA_ASSIGN_OR_RETURN(const auto made, emitFile(**code, *machine, kernel.machine.type));
  const auto bytes = std::as_bytes(std::span(made));
  cache.add(key, bytes);
  return std::vector<std::byte>(bytes.begin(), bytes.end());
}

}  // namespace vta::codegen
