#include "host_gpu/nvptx/emit_ptx.h"

#include <memory>
#include <span>
#include <string>
#include <utility>

#include "host_gpu/llvm/kernel_to_llvm.h"
#include "host_gpu/nvptx/ptx_text.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/Support/ThreadPool.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SPIRV/IR/SPIRVOps.h"
#include "mlir/Target/LLVMIR/Dialect/NVVM/NVVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"

namespace vta::codegen {
namespace {

using namespace mlir;

constexpr GridOps kNvvmOps = {
    .invocation = gridNumber<NVVM::ThreadIdXOp, NVVM::ThreadIdYOp, NVVM::ThreadIdZOp>,
    .workgroup = gridNumber<NVVM::BlockIdXOp, NVVM::BlockIdYOp, NVVM::BlockIdZOp>,
    .barrier = [](OpBuilder& b, Location loc) { b.create<NVVM::Barrier0Op>(loc); },
};

/// Makes the function one that the driver can launch, with workgroups of this size.
void markEntry(ModuleOp module, const KernelIr& kernel) {
  Builder b(module.getContext());
  const SmallVector<int32_t, 3> size(kernel.workgroup_size.begin(), kernel.workgroup_size.end());
  for (auto function : module.getOps<LLVM::LLVMFuncOp>()) {
    function->setAttr(NVVM::NVVMDialect::getKernelFuncAttrName(), b.getUnitAttr());
    function->setAttr(NVVM::NVVMDialect::getReqntidAttrName(), b.getDenseI32ArrayAttr(size));
  }
}

/// Products of four bytes and what they are added to, as one instruction.
void useDotInstruction(ModuleOp module) {
  SmallVector<spirv::SDotOp> ops;
  module.walk([&](spirv::SDotOp op) { ops.push_back(op); });
  for (spirv::SDotOp op : ops) {
    OpBuilder b(op);
    auto add = op->hasOneUse() ? dyn_cast<arith::AddIOp>(*op->user_begin()) : arith::AddIOp();
    Value sum;
    if (add) {
      b.setInsertionPoint(add);
      sum = add.getLhs() == op.getResult() ? add.getRhs() : add.getLhs();
    } else {
      sum = b.create<arith::ConstantIntOp>(op.getLoc(), 0, 32);
    }
    auto dot = b.create<LLVM::InlineAsmOp>(
        op.getLoc(), b.getI32Type(), ValueRange{op.getVector1(), op.getVector2(), sum},
        "dp4a.s32.s32 $0, $1, $2, $3;", "=r,r,r,r", /*has_side_effects=*/false,
        /*is_align_stack=*/false, LLVM::AsmDialectAttr(), ArrayAttr());
    (add ? add.getOperation() : op.getOperation())->replaceAllUsesWith(dot->getResults());
    if (add) add.erase();
    op.erase();
  }
}

Result<KernelBitcode> bitcodeOf(const KernelIr& kernel) {
  OwningOpRef<ModuleOp> module = kernel.module.get().clone();
  registerNVVMDialectTranslation(*module->getContext());
  module->getContext()->loadDialect<NVVM::NVVMDialect>();
  if (!kernel.keeps_roundings) allowContraction(*module);
  useDotInstruction(*module);
  VTA_RETURN_IF_ERROR(convertKernelToLlvm(*module, kNvvmOps).withContext("PTX"));
  markEntry(*module, kernel);
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> code = translateModuleToLLVMIR(*module, context);
  if (!code) return internalError("PTX: translation to LLVM IR failed");
  return ptxBitcode(*code, kernel.ptx_target.empty() ? kPtxArchitecture : kernel.ptx_target);
}

Result<GpuCode> codeOf(const KernelBitcode& kernel, const ObjectCache& cache) {
  const auto made = compileKernel(kernel, cache);
  if (!made.ok()) return made.status().withContext("PTX");
  const std::string text = keptPtx({reinterpret_cast<const char*>(made->data()), made->size()});
  const auto bytes = std::as_bytes(std::span(text));
  return GpuCode{
      GpuCodeForm::kPtx, kKernelFunction, kernel.machine.cpu, {}, {bytes.begin(), bytes.end()}};
}

}  // namespace

Result<GpuCode> emitPtx(const KernelIr& kernel) {
  VTA_ASSIGN_OR_RETURN(const KernelBitcode bitcode, bitcodeOf(kernel));
  return codeOf(bitcode, ObjectCache({}));
}

Result<std::vector<GpuCode>> emitPtx(std::span<const KernelIr* const> kernels,
                                     const ObjectCache& cache) {
  std::vector<KernelBitcode> bitcodes;
  for (const KernelIr* kernel : kernels) {
    VTA_ASSIGN_OR_RETURN(bitcodes.emplace_back(), bitcodeOf(*kernel));
  }
  std::vector<Result<GpuCode>> results(kernels.size(), GpuCode());
  llvm::DefaultThreadPool threads;
  for (size_t i = 0; i < bitcodes.size(); ++i) {
    threads.async([&, i] { results[i] = codeOf(bitcodes[i], cache); });
  }
  threads.wait();
  std::vector<GpuCode> codes;
  for (auto& result : results) {
    VTA_ASSIGN_OR_RETURN(codes.emplace_back(), std::move(result));
  }
  return codes;
}

}  // namespace vta::codegen
