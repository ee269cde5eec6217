// From LLVM IR to the code of a machine: what code for the CPU and for GPUs share.
#pragma once

#include "base/status.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PassManager.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/CodeGen.h"
#include "llvm/Target/TargetMachine.h"

namespace vta::codegen {

/// Makes the passes that run over a module. It may look at the functions before they change.
using ChoosePasses =
    llvm::function_ref<llvm::ModulePassManager(llvm::PassBuilder&, llvm::FunctionAnalysisManager&)>;

/// Runs what `choose` makes over `code`, with all analyses of LLVM.
void runLlvmPasses(llvm::Module& code, llvm::TargetMachine& machine,
                   const llvm::PipelineTuningOptions& tuning, ChoosePasses choose);

/// An object file or an assembly text. `code` is consumed. Errors: the target cannot make it.
Result<llvm::SmallVector<char, 0>> emitFile(llvm::Module& code, llvm::TargetMachine& machine,
                                            llvm::CodeGenFileType type);

}  // namespace vta::codegen
