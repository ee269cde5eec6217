#include "compiler/codegen/llvm/emit_object.h"

#include <memory>
#include <string>

#include "compiler/codegen/llvm/abi_glue.h"
#include "compiler/codegen/llvm/target.h"
#include "compiler/codegen/passes.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Target/LLVMIR/Export.h"

namespace vta::codegen {
namespace {

std::vector<std::string> entryNames(mlir::ModuleOp module) {
  std::vector<std::string> names;
  for (auto function : module.getOps<mlir::LLVM::LLVMFuncOp>()) {
    if (function->hasAttr(kEntryAttr)) names.push_back(function.getName().str());
  }
  return names;
}

void addGlue(llvm::Module& module, const std::vector<std::string>& entries) {
  for (const std::string& name : entries) addEntryPoint(*module.getFunction(name), name);
  std::vector<llvm::Function*> dispatches;
  for (llvm::Function& function : module) {
    if (function.getName().ends_with(kDispatchSuffix)) dispatches.push_back(&function);
  }
  for (llvm::Function* dispatch : dispatches) {
    llvm::StringRef body = dispatch->getName().drop_back(std::strlen(kDispatchSuffix));
    defineDispatch(*dispatch, *module.getFunction(body));
  }
}

/// Vectors as wide as the CPU has, whatever the tuning model prefers: our kernels are laid out for
/// them.
void setFunctionAttributes(llvm::Module& module, const llvm::TargetMachine& machine) {
  const std::string width = std::to_string(cpuTraits(machine).vector_bytes * 8);
  for (llvm::Function& function : module) {
    if (function.isDeclaration()) continue;
    function.addFnAttr("target-cpu", machine.getTargetCPU());
    function.addFnAttr("target-features", machine.getTargetFeatureString());
    function.addFnAttr("prefer-vector-width", width);
    function.addFnAttr("min-legal-vector-width", width);
    function.addFnAttr(llvm::Attribute::NoUnwind);
  }
}

/// All of LLVM's optimiser, or the little that makes code small enough to be emitted quickly.
void optimize(llvm::Module& module, llvm::TargetMachine& machine, bool fully) {
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager sccs;
  llvm::ModuleAnalysisManager modules;
  llvm::PipelineTuningOptions tuning;
  tuning.LoopVectorization = true;
  tuning.SLPVectorization = false;
  tuning.LoopInterleaving = true;
  llvm::PassBuilder builder(&machine, tuning);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(sccs);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, sccs, modules);
  if (fully) {
    builder.buildPerModuleDefaultPipeline(llvm::OptimizationLevel::O3).run(module, modules);
    return;
  }
  llvm::FunctionPassManager few;
  few.addPass(llvm::SROAPass(llvm::SROAOptions::ModifyCFG));
  few.addPass(llvm::EarlyCSEPass());
  few.addPass(llvm::SimplifyCFGPass());
  llvm::ModulePassManager passes;
  passes.addPass(llvm::createModuleToFunctionPassAdaptor(std::move(few)));
  passes.run(module, modules);
}

}  // namespace

Result<std::vector<std::byte>> emitObject(mlir::ModuleOp module, llvm::TargetMachine& machine,
                                          bool is_optimized, const ObjectCache& cache) {
  const std::vector<std::string> entries = entryNames(module);
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> code = mlir::translateModuleToLLVMIR(module, context);
  if (!code) return internalError("translation to LLVM IR failed");
  code->setTargetTriple(machine.getTargetTriple().str());
  code->setDataLayout(machine.createDataLayout());
  addGlue(*code, entries);
  setFunctionAttributes(*code, machine);
  std::string problem;
  llvm::raw_string_ostream problems(problem);
  if (llvm::verifyModule(*code, &problems)) {
    return internalError("invalid LLVM IR: " + problems.str());
  }
  const std::string key = objectKey(*code, machine, is_optimized);
  if (auto known = cache.find(key)) return *std::move(known);
  optimize(*code, machine, is_optimized);

  llvm::SmallVector<char, 0> object;
  llvm::raw_svector_ostream stream(object);
  llvm::legacy::PassManager emitter;
  if (machine.addPassesToEmitFile(emitter, stream, nullptr, llvm::CodeGenFileType::ObjectFile)) {
    return internalError("the target cannot emit object files");
  }
  emitter.run(*code);
  const auto* bytes = reinterpret_cast<const std::byte*>(object.data());
  cache.add(key, {bytes, object.size()});
  return std::vector<std::byte>(bytes, bytes + object.size());
}

}  // namespace vta::codegen
