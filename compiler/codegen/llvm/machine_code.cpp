#include "compiler/codegen/llvm/machine_code.h"

#include "llvm/IR/LegacyPassManager.h"
#include "llvm/Support/raw_ostream.h"

namespace vta::codegen {

void runLlvmPasses(llvm::Module& code, llvm::TargetMachine& machine,
                   const llvm::PipelineTuningOptions& tuning, ChoosePasses choose) {
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager sccs;
  llvm::ModuleAnalysisManager modules;
  llvm::PassBuilder builder(&machine, tuning);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(sccs);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, sccs, modules);
  choose(builder, functions).run(code, modules);
}

Result<llvm::SmallVector<char, 0>> emitFile(llvm::Module& code, llvm::TargetMachine& machine,
                                            llvm::CodeGenFileType type) {
  llvm::SmallVector<char, 0> file;
  llvm::raw_svector_ostream stream(file);
  llvm::legacy::PassManager emitter;
  if (machine.addPassesToEmitFile(emitter, stream, nullptr, type)) {
    return internalError("the target " + machine.getTargetTriple().str() +
                         " cannot emit such files");
  }
  emitter.run(code);
  return file;
}

}  // namespace vta::codegen
