#include "host_gpu/llvm/kernel_to_llvm.h"

#include <fmt/format.h>

#include "compiler/codegen/passes.h"
#include "compiler/common/diagnostics.h"
#include "host_gpu/kernels/kernel_ir.h"
#include "host_gpu/legalise/passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"

namespace vta::codegen {
namespace {

using namespace mlir;

/// No buffer has 2^31 elements, and numbers of 32 bits take half the instructions.
constexpr unsigned kIndexBits = 32;
/// What loads of four words at a time need.
constexpr int64_t kPointerAlignmentBytes = 16;

/// What LLVM's targets for GPUs compute themselves: for other functions it would call a library.
/// math.exp becomes arithmetic on the way.
bool hasInstructions(Operation* op) {
  return isa<math::AbsFOp, math::AbsIOp, math::CeilOp, math::CopySignOp, math::CountLeadingZerosOp,
             math::ExpOp, math::FloorOp, math::FmaOp, math::RoundEvenOp, math::SqrtOp,
             math::TruncOp>(op);
}

Status checkFunctions(ModuleOp module) {
  Status status;
  module.walk([&](Operation* op) {
    const bool is_function = isa_and_nonnull<math::MathDialect>(op->getDialect());
    if (!is_function || hasInstructions(op)) return WalkResult::advance();
    status = internalError("GPUs have no instructions for " + op->getName().getStringRef().str());
    return WalkResult::interrupt();
  });
  return status;
}

/// Memory that a workgroup shares is a variable of the module.
void declareSharedMemory(ModuleOp module) {
  SmallVector<memref::AllocOp> allocs;
  module.walk([&](memref::AllocOp alloc) { allocs.push_back(alloc); });
  for (const auto [number, alloc] : llvm::enumerate(allocs)) {
    OpBuilder b(module.getBodyRegion());
    const std::string name = fmt::format("shared{}", number);
    b.create<memref::GlobalOp>(
        alloc.getLoc(), name, b.getStringAttr("private"), alloc.getType(), b.getUnitAttr(),
        /*constant=*/false,
        b.getI64IntegerAttr(alloc.getAlignment().value_or(kPointerAlignmentBytes)));
    b.setInsertionPoint(alloc);
    alloc.replaceAllUsesWith(
        b.create<memref::GetGlobalOp>(alloc.getLoc(), alloc.getType(), name).getResult());
    alloc.erase();
  }
}

void replaceGridOps(ModuleOp module, const GridOps& grid) {
  module.walk([&](Operation* op) {
    OpBuilder b(op);
    Value number;
    if (auto invocation = dyn_cast<gpu::ThreadIdOp>(op)) {
      number = grid.invocation(b, op->getLoc(), invocation.getDimension());
    } else if (auto workgroup = dyn_cast<gpu::BlockIdOp>(op)) {
      number = grid.workgroup(b, op->getLoc(), workgroup.getDimension());
    } else if (isa<gpu::BarrierOp>(op)) {
      grid.barrier(b, op->getLoc());
      op->erase();
      return;
    } else {
      return;
    }
    op->replaceAllUsesWith(
        b.create<arith::IndexCastUIOp>(op->getLoc(), b.getIndexType(), number)->getResults());
    op->erase();
  });
}

/// Casts of buffers to pointers: where their first element is.
void resolvePointers(ModuleOp module) {
  module.walk([](UnrealizedConversionCastOp cast) {
    if (cast.getNumResults() != 1 || !isa<LLVM::LLVMPointerType>(cast.getResult(0).getType())) {
      return;
    }
    auto buffer = cast.getOperand(0).getDefiningOp<UnrealizedConversionCastOp>();
    if (!buffer) return;
    constexpr int64_t kAlignedPointer = 1;  // in the description of a buffer
    OpBuilder b(cast);
    cast.replaceAllUsesWith(ValueRange{
        b.create<LLVM::ExtractValueOp>(cast.getLoc(), buffer.getOperand(0), kAlignedPointer)});
    cast.erase();
    if (buffer.use_empty()) buffer.erase();
  });
}

void alignPointers(ModuleOp module) {
  const auto alignment =
      IntegerAttr::get(IntegerType::get(module.getContext(), 64), kPointerAlignmentBytes);
  for (auto function : module.getOps<LLVM::LLVMFuncOp>()) {
    for (unsigned i = 0; i < function.getNumArguments(); ++i) {
      function.setArgAttr(i, LLVM::LLVMDialect::getAlignAttrName(), alignment);
    }
  }
}

}  // namespace

void allowContraction(ModuleOp module) {
  const auto contract =
      arith::FastMathFlagsAttr::get(module.getContext(), arith::FastMathFlags::contract);
  module.walk([&](arith::ArithFastMathInterface op) {
    if (isInNestedLoop<scf::ForOp>(op)) op->setAttr(op.getFastMathAttrName(), contract);
  });
}

Status convertKernelToLlvm(ModuleOp module, const GridOps& grid) {
  compiler::DiagnosticCollector diagnostics(module.getContext());
  {
    PassManager manager(module.getContext(), ModuleOp::getOperationName());
    manager.enableVerifier(false);  // the code in LLVM's IR is verified
    manager.addPass(createGpuExpandDotProductsPass());
    manager.addPass(createGpuExpandMathPass());
    if (failed(manager.run(module))) return diagnostics.takeStatus("expand functions");
  }
  VTA_RETURN_IF_ERROR(checkFunctions(module));
  declareSharedMemory(module);
  replaceGridOps(module, grid);
  PassManager manager(module.getContext(), ModuleOp::getOperationName());
  manager.enableVerifier(false);
  buildLlvmPipeline(manager, kIndexBits);
  if (failed(manager.run(module))) return diagnostics.takeStatus("emit LLVM IR");
  resolvePointers(module);
  alignPointers(module);
  return {};
}

}  // namespace vta::codegen
