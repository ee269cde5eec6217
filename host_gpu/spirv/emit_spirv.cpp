#include "host_gpu/spirv/emit_spirv.h"

#include "compiler/common/diagnostics.h"
#include "host_gpu/kernels/kernel_passes.h"
#include "llvm/Support/Endian.h"
#include "mlir/Conversion/GPUToSPIRV/GPUToSPIRVPass.h"
#include "mlir/Conversion/MathToSPIRV/MathToSPIRVPass.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SPIRV/IR/SPIRVDialect.h"
#include "mlir/Dialect/SPIRV/IR/SPIRVOps.h"
#include "mlir/Dialect/SPIRV/IR/TargetAndABI.h"
#include "mlir/Dialect/SPIRV/Transforms/Passes.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Target/SPIRV/Serialization.h"
#include "mlir/Transforms/Passes.h"

namespace vta::codegen {
namespace {

using namespace mlir;

/// What every Vulkan 1.1 device takes, and dot products if the kernel has such.
spirv::TargetEnvAttr targetOf(const KernelIr& kernel, MLIRContext* context) {
  SmallVector<spirv::Capability> capabilities = {spirv::Capability::Shader};
  SmallVector<spirv::Extension> extensions = {
      spirv::Extension::SPV_KHR_storage_buffer_storage_class};
  if (hasDotProducts(kernel)) {
    capabilities.append(
        {spirv::Capability::DotProduct, spirv::Capability::DotProductInput4x8BitPacked});
    extensions.push_back(spirv::Extension::SPV_KHR_integer_dot_product);
  }
  const auto triple =
      spirv::VerCapExtAttr::get(spirv::Version::V_1_3, capabilities, extensions, context);
  return spirv::TargetEnvAttr::get(triple, spirv::getDefaultResourceLimits(context));
}

/// The function as the one entry point of a gpu.module.
void wrap(KernelIr& kernel) {
  ModuleOp module = *kernel.module;
  module->setAttr(spirv::getTargetEnvAttrName(), targetOf(kernel, module.getContext()));
  auto function = *module.getOps<func::FuncOp>().begin();
  ImplicitLocOpBuilder b(function.getLoc(), function);
  auto gpu_module = b.create<gpu::GPUModuleOp>("kernels");
  b.setInsertionPointToStart(gpu_module.getBody());
  auto entry = b.create<gpu::GPUFuncOp>(function.getName(), function.getFunctionType());
  entry.getBody().takeBody(function.getBody());
  entry->setAttr(gpu::GPUDialect::getKernelFuncAttrName(), b.getUnitAttr());
  const SmallVector<int32_t, 3> size(kernel.workgroup_size.begin(), kernel.workgroup_size.end());
  entry->setAttr(spirv::getEntryPointABIAttrName(),
                 spirv::getEntryPointABIAttr(b.getContext(), size));
  Operation* terminator = entry.getBody().front().getTerminator();
  b.setInsertionPoint(terminator);
  b.create<gpu::ReturnOp>();
  terminator->erase();
  function.erase();
  module->setAttr(gpu::GPUDialect::getContainerModuleAttrName(), b.getUnitAttr());
}

/// Sums and products stay as they are written, but for those in nested loops that need not: their
/// op gets the decoration NoContraction.
void keepRoundings(spirv::ModuleOp module, bool in_nested_loops) {
  const auto attribute = UnitAttr::get(module.getContext());
  module.walk([&](Operation* op) {
    if (!isa<spirv::FAddOp, spirv::FSubOp, spirv::FMulOp>(op)) return;
    if (in_nested_loops || !isInNestedLoop<spirv::LoopOp>(op))
      op->setAttr("no_contraction", attribute);
  });
}

std::vector<std::byte> bytesOf(ArrayRef<uint32_t> words) {
  std::vector<std::byte> bytes(words.size() * sizeof(uint32_t));
  for (const auto [i, word] : llvm::enumerate(words)) {
    llvm::support::endian::write32le(bytes.data() + i * sizeof(uint32_t), word);
  }
  return bytes;
}

/// MLIR's remainders by absolute values are wrong for the least integer. Quotients have signs.
void replaceRemainders(ModuleOp module) {
  module.walk([](arith::RemSIOp op) {
    ImplicitLocOpBuilder b(op.getLoc(), op);
    Value quotient = b.create<arith::DivSIOp>(op.getLhs(), op.getRhs());
    op.replaceAllUsesWith(
        b.create<arith::SubIOp>(op.getLhs(), b.create<arith::MulIOp>(quotient, op.getRhs()))
            .getResult());
    op.erase();
  });
}

void buildSpirvPipeline(OpPassManager& manager) {
  manager.addNestedPass<gpu::GPUModuleOp>(createConvertMathToSPIRVPass());
  manager.addPass(createConvertGPUToSPIRVPass());
  OpPassManager& in_spirv = manager.nest<spirv::ModuleOp>();
  // MLIR 19 takes (x % 2) % 4 for x % 4 by this pattern: it also applies where the second divisor
  // is a multiple of the first.
  GreedyRewriteConfig config;
  // What merges blocks that are alike breaks the structure of SPIR-V's loops.
  config.enableRegionSimplification = GreedySimplifyRegionLevel::Normal;
  in_spirv.addPass(createCanonicalizerPass(config, {"UModSimplification"}));
  in_spirv.addPass(createCSEPass());
  in_spirv.addPass(spirv::createSPIRVLowerABIAttributesPass());
  in_spirv.addPass(spirv::createSPIRVUpdateVCEPass());
}

Result<std::vector<std::byte>> serialized(const KernelIr& kernel) {
  ModuleOp module = kernel.module.get();
  compiler::DiagnosticCollector diagnostics(module.getContext());
  spirv::ModuleOp code;
  for (auto found : module.getOps<spirv::ModuleOp>()) code = found;
  if (!code) return internalError("a kernel has no SPIR-V");
  keepRoundings(code, kernel.keeps_roundings);
  SmallVector<uint32_t, 0> words;
  if (failed(spirv::serialize(code, words))) return diagnostics.takeStatus("emit SPIR-V");
  return bytesOf(words);
}

}  // namespace

bool hasDotProducts(const KernelIr& kernel) {
  ModuleOp module = kernel.module.get();
  return module.walk([](spirv::SDotOp) { return WalkResult::interrupt(); }).wasInterrupted();
}

Result<std::vector<std::vector<std::byte>>> emitSpirv(MutableArrayRef<KernelIr> kernels) {
  for (KernelIr& kernel : kernels) {
    replaceRemainders(*kernel.module);
    wrap(kernel);
  }
  VTA_RETURN_IF_ERROR(runOnKernels(kernels, "emit SPIR-V", buildSpirvPipeline));
  std::vector<std::vector<std::byte>> codes;
  for (const KernelIr& kernel : kernels) {
    VTA_ASSIGN_OR_RETURN(std::vector<std::byte> code, serialized(kernel));
    codes.push_back(std::move(code));
  }
  return codes;
}

}  // namespace vta::codegen
