#include "host_gpu/nvptx/ptx_text.h"

#include <memory>
#include <mutex>
#include <optional>
#include <tuple>

#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Verifier.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetMachine.h"

namespace vta::codegen {
namespace {

constexpr const char* kTriple = "nvptx64-nvidia-cuda";

/// The oldest version of PTX that has the architecture: old drivers take it, too.
const char* versionFor(std::string_view architecture) {
  if (architecture == kPtxArchitecture) return "+ptx63";
  return architecture == "sm_80" ? "+ptx70" : "+ptx80";
}

Result<std::unique_ptr<llvm::TargetMachine>> createPtxMachine(std::string_view architecture) {
  static std::once_flag once;
  std::call_once(once, [] {
    LLVMInitializeNVPTXTargetInfo();
    LLVMInitializeNVPTXTarget();
    LLVMInitializeNVPTXTargetMC();
    LLVMInitializeNVPTXAsmPrinter();
  });
  std::string error;
  const llvm::Target* found = llvm::TargetRegistry::lookupTarget(kTriple, error);
  if (found == nullptr) return internalError("PTX: " + error);
  llvm::TargetOptions options;
  // "Strict" also says .rn of each sum and product, which the driver's compiler leaves as they are.
  // Those with the flag `contract` become one operation all the same.
  options.AllowFPOpFusion = llvm::FPOpFusion::Strict;
  std::unique_ptr<llvm::TargetMachine> machine(
      found->createTargetMachine(kTriple, architecture, versionFor(architecture), options,
                                 std::nullopt, std::nullopt, llvm::CodeGenOptLevel::Aggressive));
  if (!machine) return internalError("PTX: no code generator");
  return machine;
}

void optimizeKernel(llvm::Module& code, llvm::TargetMachine& machine) {
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager sccs;
  llvm::ModuleAnalysisManager modules;
  llvm::PipelineTuningOptions tuning;
  // Each invocation computes one number after the other.
  tuning.LoopVectorization = tuning.SLPVectorization = tuning.LoopInterleaving = false;
  llvm::PassBuilder builder(&machine, tuning);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(sccs);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, sccs, modules);
  builder.buildPerModuleDefaultPipeline(llvm::OptimizationLevel::O2).run(code, modules);
}

/// Nothing links kernels with a library.
Status checkCalls(const llvm::Module& code) {
  for (const llvm::Function& function : code) {
    if (!function.isDeclaration() || function.isIntrinsic()) continue;
    return internalError("PTX: nobody has a function " + function.getName().str());
  }
  return {};
}

/// Without comments and empty lines, which are a tenth of a text.
std::string withoutComments(llvm::StringRef text) {
  std::string kept;
  while (!text.empty()) {
    llvm::StringRef line;
    std::tie(line, text) = text.split('\n');
    line = line.split("//").first.rtrim();
    if (!line.empty()) kept += line.str() + "\n";
  }
  return kept;
}

Result<std::string> printed(llvm::Module& code, llvm::TargetMachine& machine) {
  llvm::SmallString<0> text;
  llvm::raw_svector_ostream stream(text);
  llvm::legacy::PassManager printer;
  if (machine.addPassesToEmitFile(printer, stream, nullptr, llvm::CodeGenFileType::AssemblyFile)) {
    return internalError("PTX: the target cannot print");
  }
  printer.run(code);
  return withoutComments(text);
}

}  // namespace

Result<std::string> printPtx(llvm::Module& code, std::string_view architecture) {
  VTA_RETURN_IF_ERROR(checkCalls(code));
  VTA_ASSIGN_OR_RETURN(const std::unique_ptr<llvm::TargetMachine> machine,
                       createPtxMachine(architecture));
  code.setTargetTriple(kTriple);
  code.setDataLayout(machine->createDataLayout());
  std::string problem;
  llvm::raw_string_ostream problems(problem);
  if (llvm::verifyModule(code, &problems)) return internalError("PTX: invalid LLVM IR: " + problem);
  optimizeKernel(code, *machine);
  return printed(code, *machine);
}

}  // namespace vta::codegen
