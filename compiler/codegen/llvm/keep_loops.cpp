#include "compiler/codegen/llvm/keep_loops.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Transforms/Utils/LoopUtils.h"

namespace vta::codegen {
namespace {

/// Windows and lanes of blocks, which gain from being unrolled, are no longer.
constexpr unsigned kMostUnrolled = 16;

/// Whether the loop works on vectors already: our own kernels, laid out for the CPU.
bool hasVectors(const llvm::Loop& loop) {
  return llvm::any_of(loop.blocks(), [](const llvm::BasicBlock* block) {
    return llvm::any_of(*block, [](const llvm::Instruction& instruction) {
      return instruction.getType()->isVectorTy();
    });
  });
}

}  // namespace

void keepLongLoops(llvm::Module& module, llvm::FunctionAnalysisManager& analyses) {
  for (llvm::Function& function : module) {
    if (function.isDeclaration()) continue;
    llvm::LoopInfo& loops = analyses.getResult<llvm::LoopAnalysis>(function);
    auto& evolution = analyses.getResult<llvm::ScalarEvolutionAnalysis>(function);
    for (llvm::Loop* loop : loops.getLoopsInPreorder()) {
      if (!loop->isInnermost() || hasVectors(*loop)) continue;
      if (evolution.getSmallConstantTripCount(loop) <= kMostUnrolled) continue;
      llvm::addStringMetadataToLoop(loop, "llvm.loop.unroll.disable", 1);
    }
  }
}

}  // namespace vta::codegen
