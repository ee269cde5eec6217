#include "compiler/codegen/llvm/emit_object.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "compiler/codegen/llvm/abi_glue.h"
#include "compiler/codegen/llvm/keep_loops.h"
#include "compiler/codegen/llvm/machine_code.h"
#include "compiler/codegen/llvm/report_failures.h"
#include "compiler/codegen/llvm/target.h"
#include "compiler/codegen/passes.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Operator.h"
#include "llvm/IR/Verifier.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/MemoryBufferRef.h"
#include "llvm/Support/ThreadPool.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Transforms/Utils/SplitModule.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Target/LLVMIR/Export.h"

namespace vta::codegen {
namespace {

// To be raised when this file gives LLVM other work for the same code.
constexpr int kRecipe = 5;

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

/// In this order, for CodeQuality::kDraft: what makes code small enough to be emitted quickly.
constexpr const char* kDraftPasses = "function(sroa,early-cse,simplifycfg)";

/// For CodeQuality::kQuick: what loops need to be vectorised, and to keep addresses out of them.
constexpr const char* kQuickPasses =
    "function(sroa,early-cse,simplifycfg,instcombine,loop-mssa(loop-rotate,licm),loop(indvars),"
    "loop-vectorize,early-cse,instcombine,simplifycfg,loop-mssa(licm))";

llvm::ModulePassManager passesFor(CodeQuality quality, llvm::PassBuilder& builder) {
  if (quality == CodeQuality::kFull) {
    return builder.buildPerModuleDefaultPipeline(llvm::OptimizationLevel::O3);
  }
  llvm::ModulePassManager passes;
  const char* names = quality == CodeQuality::kQuick ? kQuickPasses : kDraftPasses;
  llvm::cantFail(builder.parsePassPipeline(passes, names));
  return passes;
}

void optimize(llvm::Module& module, llvm::TargetMachine& machine, CodeQuality quality) {
  llvm::PipelineTuningOptions tuning;
  tuning.LoopVectorization = true;
  tuning.SLPVectorization = false;
  tuning.LoopInterleaving = true;
  runLlvmPasses(module, machine, tuning, [&](auto& builder, auto& functions) {
    keepLongLoops(module, functions);
    return passesFor(quality, builder);
  });
}

/// Parts of a module, more than processors have cores: parts differ in size. A part has some
/// overhead, and the cache knows parts only.
constexpr unsigned kMostParts = 32;

/// Lets the functions that no caller may take in be in other parts than their callers; returns how
/// many there are. Their names begin with that of an entry point, so they differ between modules.
size_t exposeOutlined(llvm::Module& code) {
  size_t exposed = 0;
  for (llvm::Function& function : code) {
    if (function.isDeclaration() || !function.hasFnAttribute(llvm::Attribute::NoInline)) continue;
    if (!function.hasWeakODRLinkage()) function.setLinkage(llvm::GlobalValue::ExternalLinkage);
    function.setVisibility(llvm::GlobalValue::HiddenVisibility);
    ++exposed;
  }
  return exposed;
}

/// Keeps functions that MLIR makes for operations, such as powers of integers, in the part that has
/// them: LLVM leaves them out where nothing in the same part calls them, but other parts do.
/// Functions whose names say all that they compute are there once where several networks are linked
/// into one module.
void keepShared(llvm::Module& code) {
  for (llvm::Function& function : code) {
    const bool is_kernel =
        !function.isDeclaration() && function.getName().starts_with(kSharedFunctionPrefix);
    if (!function.hasLinkOnceODRLinkage() && !is_kernel) continue;
    function.setLinkage(llvm::GlobalValue::WeakODRLinkage);
    function.setVisibility(llvm::GlobalValue::HiddenVisibility);
  }
}

/// A part begins with declarations of all functions of the module. Most of a part, they take LLVM
/// time, and the cache would see changes in other parts.
void removeUnusedDeclarations(llvm::Module& part) {
  for (llvm::Function& function : llvm::make_early_inc_range(part)) {
    if (function.isDeclaration() && function.use_empty()) function.eraseFromParent();
  }
}

/// The functions of `code` with what only they use, in parts of about equal size, as bitcode.
std::vector<std::string> splitIntoBitcode(llvm::Module& code, size_t functions) {
  std::vector<std::string> parts;
  const auto add = [&](const llvm::Module& part) {
    llvm::raw_string_ostream stream(parts.emplace_back());
    llvm::WriteBitcodeToFile(part, stream);
  };
  const auto count = static_cast<unsigned>(std::min<size_t>(functions, kMostParts));
  if (count < 2) {
    add(code);
    return parts;
  }
  const auto add_unless_empty = [&](std::unique_ptr<llvm::Module> part) {
    removeUnusedDeclarations(*part);
    const auto is_defined = [](const llvm::Function& f) { return !f.isDeclaration(); };
    if (llvm::any_of(*part, is_defined)) add(*part);
  };
  llvm::SplitModule(code, count, add_unless_empty, /*PreserveLocals=*/true);
  return parts;
}

/// Code generators are for one thread each.
std::unique_ptr<llvm::TargetMachine> anotherOf(const llvm::TargetMachine& machine) {
  return std::unique_ptr<llvm::TargetMachine>(machine.getTarget().createTargetMachine(
      machine.getTargetTriple().str(), machine.getTargetCPU(), machine.getTargetFeatureString(),
      machine.Options, machine.getRelocationModel(), machine.getCodeModel(),
      machine.getOptLevel()));
}

/// Whether the order of a float sum is left to LLVM: its rounding follows from the passes then.
bool hasReorderedSums(const llvm::Module& code) {
  return llvm::any_of(code, [](const llvm::Function& function) {
    return llvm::any_of(llvm::instructions(function), [](const llvm::Instruction& instruction) {
      return llvm::isa<llvm::FPMathOperator>(instruction) && instruction.hasAllowReassoc();
    });
  });
}

Result<std::vector<std::byte>> emitPart(const std::string& bitcode, llvm::TargetMachine& machine,
                                        CodeQuality quality) {
  llvm::LLVMContext context;
  auto code = llvm::parseBitcodeFile(llvm::MemoryBufferRef(bitcode, "part"), context);
  if (!code) return internalError("LLVM IR: " + llvm::toString(code.takeError()));
  if (quality == CodeQuality::kQuick && hasReorderedSums(**code)) {
    quality = CodeQuality::kFull;
    machine.setOptLevel(llvm::CodeGenOptLevel::Aggressive);
  }
  optimize(**code, machine, quality);
  VTA_ASSIGN_OR_RETURN(const auto object,
                       emitFile(**code, machine, llvm::CodeGenFileType::ObjectFile));
  const auto* bytes = reinterpret_cast<const std::byte*>(object.data());
  return std::vector<std::byte>(bytes, bytes + object.size());
}

/// LLVM's bitcode of the parts of `module`. The module is emptied, because it would take memory
/// while LLVM compiles the parts.
Result<std::vector<std::string>> consumedAsBitcode(mlir::ModuleOp module,
                                                   const llvm::TargetMachine& machine) {
  const std::vector<std::string> entries = entryNames(module);
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> code = mlir::translateModuleToLLVMIR(module, context);
  if (!code) return internalError("translation to LLVM IR failed");
  code->setTargetTriple(machine.getTargetTriple().str());
  code->setDataLayout(machine.createDataLayout());
  reportFailures(*code);
  addGlue(*code, entries);
  setFunctionAttributes(*code, machine);
  std::string problem;
  llvm::raw_string_ostream problems(problem);
  if (llvm::verifyModule(*code, &problems)) {
    return internalError("invalid LLVM IR: " + problems.str());
  }
  keepShared(*code);
  const size_t functions = entries.size() + exposeOutlined(*code);
  module.getBody()->clear();
  return splitIntoBitcode(*code, functions);
}

}  // namespace

Result<std::vector<std::vector<std::byte>>> emitObjects(mlir::ModuleOp module,
                                                        llvm::TargetMachine& machine,
                                                        const CodeOptions& options,
                                                        const ObjectCache& cache) {
  const CodeQuality quality = options.quality;
  VTA_ASSIGN_OR_RETURN(const std::vector<std::string> parts, consumedAsBitcode(module, machine));
  const std::string recipe = fmt::format("cpu {} {}", kRecipe, static_cast<int>(quality));
  std::atomic<int64_t> done = 0;
  const auto finishPart = [&] {
    if (options.progress) options.progress(++done, std::ssize(parts));
  };
  std::vector<Result<std::vector<std::byte>>> results(parts.size(), std::vector<std::byte>());
  llvm::DefaultThreadPool threads;
  for (size_t i = 0; i < parts.size(); ++i) {
    const std::string key = objectKey(parts[i], machine, recipe);
    if (auto known = cache.find(key)) {
      results[i] = *std::move(known);
      finishPart();
      continue;
    }
    threads.async([&, i, key] {
      const std::unique_ptr<llvm::TargetMachine> own = anotherOf(machine);
      results[i] = emitPart(parts[i], *own, quality);
      if (results[i].ok()) cache.add(key, *results[i]);
      finishPart();
    });
  }
  threads.wait();
  std::vector<std::vector<std::byte>> objects;
  for (auto& result : results) {
    VTA_ASSIGN_OR_RETURN(objects.emplace_back(), std::move(result));
  }
  return objects;
}

}  // namespace vta::codegen
