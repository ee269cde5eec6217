#include "host_gpu/amdgpu/emit_amd_code.h"

#include <fmt/format.h>

#include <array>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "compiler/module/linker.h"
#include "host_gpu/llvm/compile_kernel.h"
#include "host_gpu/llvm/kernel_to_llvm.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/TargetSelect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"
#include "mlir/Target/LLVMIR/Dialect/ROCDL/ROCDLToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"

namespace vta::codegen {
namespace {

using namespace mlir;

constexpr const char* kAmdTriple = "amdgcn-amd-amdhsa";
constexpr unsigned kGlobalSpace = 1;
/// Runtimes since ROCm 6.0 load it.
constexpr uint32_t kObjectVersion = 500;

/// What the documentation of LLVM says of code objects; no symbols but the kernel's are left.
const std::vector<std::string> kLinkerOptions = {"--no-undefined", "--hash-style=both",
                                                 "--strip-all"};

constexpr GridOps kRocdlOps = {
    .invocation = gridNumber<ROCDL::ThreadIdXOp, ROCDL::ThreadIdYOp, ROCDL::ThreadIdZOp>,
    .workgroup = gridNumber<ROCDL::BlockIdXOp, ROCDL::BlockIdYOp, ROCDL::BlockIdZOp>,
    .barrier = [](OpBuilder& b, Location loc) { b.create<ROCDL::BarrierOp>(loc); },
};

void registerAmdTarget() {
  static std::once_flag once;
  std::call_once(once, [] {
    LLVMInitializeAMDGPUTargetInfo();
    LLVMInitializeAMDGPUTarget();
    LLVMInitializeAMDGPUTargetMC();
    LLVMInitializeAMDGPUAsmPrinter();
  });
}

std::vector<std::string> amdArchitectures() {
  registerAmdTarget();
  std::string error;
  const llvm::Target* target = llvm::TargetRegistry::lookupTarget(kAmdTriple, error);
  std::vector<std::string> names;
  if (target == nullptr) return names;
  const std::unique_ptr<llvm::MCSubtargetInfo> info(
      target->createMCSubtargetInfo(kAmdTriple, "", ""));
  for (const llvm::SubtargetSubTypeKV& processor : info->getAllProcessorDescriptions()) {
    const llvm::StringRef name = processor.Key;
    // Generic ones take a newer object format.
    if (name.starts_with("gfx") && !name.ends_with("generic")) names.push_back(name.str());
  }
  return names;
}

/// Says that buffers lie in global memory: what is known of no space is addressed more slowly.
void placeAmdBuffers(LLVM::LLVMFuncOp function) {
  OpBuilder b(function.getBody());
  const auto global = LLVM::LLVMPointerType::get(function.getContext(), kGlobalSpace);
  const SmallVector<Type> types(function.getNumArguments(), global);
  for (BlockArgument argument : function.getArguments()) {
    const Type generic = argument.getType();
    argument.setType(global);
    auto cast = b.create<LLVM::AddrSpaceCastOp>(function.getLoc(), generic, argument);
    argument.replaceAllUsesExcept(cast, cast);
  }
  function.setFunctionType(
      LLVM::LLVMFunctionType::get(function.getFunctionType().getReturnType(), types));
}

/// Makes the function one that the runtime can launch, with workgroups of this size.
void markAmdEntry(LLVM::LLVMFuncOp function, const KernelIr& kernel) {
  Builder b(function.getContext());
  const auto [x, y, z] = kernel.workgroup_size;
  const auto sizes =
      std::array{static_cast<int32_t>(x), static_cast<int32_t>(y), static_cast<int32_t>(z)};
  ROCDL::ROCDLDialect& rocdl = *b.getContext()->getLoadedDialect<ROCDL::ROCDLDialect>();
  rocdl.getKernelAttrHelper().setAttr(function, b.getUnitAttr());
  rocdl.getReqdWorkGroupSizeAttrHelper().setAttr(function, b.getDenseI32ArrayAttr(sizes));
  rocdl.getFlatWorkGroupSizeAttrHelper().setAttr(
      function, b.getStringAttr(fmt::format("{0},{0}", x * y * z)));
}

/// Parts of words are for the GPU alone until the kernel ends, and nothing is ordered by them.
void relaxAmdAtomics(LLVM::LLVMFuncOp function) {
  function.walk([](LLVM::AtomicRMWOp atomic) {
    atomic.setOrdering(LLVM::AtomicOrdering::monotonic);
    atomic.setSyncscope("agent");
  });
}

Result<GpuCode> linkedAmdCode(const KernelIr& kernel, const std::string& architecture,
                              const ObjectCache& cache) {
  VTA_RETURN_IF_ERROR(checkAmdArchitecture(architecture));
  OwningOpRef<ModuleOp> module = kernel.module.get().clone();
  registerROCDLDialectTranslation(*module->getContext());
  module->getContext()->loadDialect<ROCDL::ROCDLDialect>();
  if (!kernel.keeps_roundings) allowContraction(*module);
  VTA_RETURN_IF_ERROR(convertKernelToLlvm(*module, kRocdlOps));
  for (auto function : module->getOps<LLVM::LLVMFuncOp>()) {
    placeAmdBuffers(function);
    markAmdEntry(function, kernel);
    relaxAmdAtomics(function);
  }
  llvm::LLVMContext context;
  const std::unique_ptr<llvm::Module> code = translateModuleToLLVMIR(*module, context);
  if (!code) return internalError("translation to LLVM IR failed");
  code->addModuleFlag(llvm::Module::Error, "amdhsa_code_object_version", kObjectVersion);
  VTA_ASSIGN_OR_RETURN(
      const KernelBitcode bitcode,
      kernelBitcode(*code, {kAmdTriple, architecture, "", llvm::CodeGenFileType::ObjectFile}));
  VTA_ASSIGN_OR_RETURN(const auto object, compileKernel(bitcode, cache));
  const std::array objects = {std::span<const std::byte>(object)};
  VTA_ASSIGN_OR_RETURN(std::vector<std::byte> linked,
                       compiler::linkSharedObject(objects, kLinkerOptions));
  return GpuCode{GpuCodeForm::kAmdCode, kKernelFunction, architecture, {}, std::move(linked)};
}

}  // namespace

Status checkAmdArchitecture(const std::string& architecture) {
  static const std::vector<std::string> known = amdArchitectures();
  if (llvm::is_contained(known, architecture)) return {};
  return invalidArgument(fmt::format("no GPU of AMD has the architecture '{}'; known are {}",
                                     architecture, llvm::join(known, ", ")));
}

Result<GpuCode> emitAmdCode(const KernelIr& kernel, const std::string& architecture,
                            const ObjectCache& cache) {
  auto code = linkedAmdCode(kernel, architecture, cache);
  return code.ok() ? std::move(code) : code.status().withContext("AMD");
}

}  // namespace vta::codegen
