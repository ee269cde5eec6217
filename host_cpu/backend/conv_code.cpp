#include "host_cpu/backend/conv_code.h"

#include <fmt/format.h>

#include "compiler/codegen/llvm/emit_object.h"
#include "compiler/codegen/passes.h"
#include "compiler/common/diagnostics.h"
#include "host_cpu/backend/passes.h"
#include "host_cpu/blocked/kernels.h"
#include "host_cpu/schedule/integer_finish.h"
#include "host_cpu/schedule/winograd.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Pass/PassManager.h"

namespace vta::codegen {
namespace {

using namespace mlir;

/// A public function that calls the kernel with its own arguments.
void addEntry(ModuleOp module, func::FuncOp kernel) {
  ImplicitLocOpBuilder b(module.getLoc(), module.getContext());
  b.setInsertionPointToEnd(module.getBody());
  auto entry = b.create<func::FuncOp>(kConvFunction, kernel.getFunctionType());
  entry->setAttr(kEntryAttr, b.getUnitAttr());
  Block* block = entry.addEntryBlock();
  b.setInsertionPointToStart(block);
  b.create<func::CallOp>(kernel, block->getArguments());
  b.create<func::ReturnOp>();
}

}  // namespace

std::vector<int64_t> convBuffers(const blocked::ConvSpec& spec,
                                 const blocked::ConvSchedule& schedule) {
  const int64_t constants = spec.isInteger() ? 1 + blocked::finishConstants(spec.finish) : 1;
  std::vector<int64_t> elements = {spec.in.elements(), packedWeightElements(spec, schedule),
                                   spec.out.blocks() * constants * blocked::kBlock};
  if (spec.has_residual) elements.push_back(spec.residual.elements());
  if (schedule.winograd != 0) {
    elements.push_back(blocked::WinogradShape(spec, schedule).inputElements());
  }
  elements.push_back(spec.out.elements());
  return elements;
}

Result<CompiledCode> convCode(const blocked::ConvSpec& spec, const blocked::ConvSchedule& schedule,
                              const CodeOptions& options) {
  VTA_ASSIGN_OR_RETURN(const std::unique_ptr<llvm::TargetMachine> machine,
                       createTargetMachine(options.target, options.quality));
  const CpuTraits traits = cpuTraits(*machine);
  const std::string_view rule = blocked::brokenRule(spec, schedule, traits);
  if (!rule.empty()) return invalidArgument(fmt::format("a schedule of a convolution: {}", rule));
  MLIRContext context(MLIRContext::Threading::DISABLED);
  loadCodegenDialects(context);
  context.loadDialect<arith::ArithDialect, math::MathDialect, memref::MemRefDialect,
                      scf::SCFDialect, vector::VectorDialect>();
  OwningOpRef<ModuleOp> module = ModuleOp::create(UnknownLoc::get(&context));
  blocked::KernelLibrary kernels(*module, traits);
  addEntry(*module, kernels.conv(spec, schedule));
  compiler::DiagnosticCollector diagnostics(&context);
  PassManager manager(&context, ModuleOp::getOperationName());
  manager.addPass(createHostPlanBuffersPass());
  buildCpuLoopPipeline(manager, traits, options.parallel);
  if (failed(manager.run(*module))) {
    return unsupported("CPU code generation: " + diagnostics.take());
  }
  CompiledCode code;
  code.features = cpuFeatures(*machine);
  VTA_ASSIGN_OR_RETURN(auto objects,
                       emitObjects(*module, *machine, options, ObjectCache(options.cache_folder)));
  code.addObjects(std::move(objects));
  return code;
}

Result<CpuTraits> traitsOf(const CodeTarget& target) {
  VTA_ASSIGN_OR_RETURN(const std::unique_ptr<llvm::TargetMachine> machine,
                       createTargetMachine(target));
  return cpuTraits(*machine);
}

Result<std::string> cpuText(const CodeTarget& target) {
  VTA_ASSIGN_OR_RETURN(const std::unique_ptr<llvm::TargetMachine> machine,
                       createTargetMachine(target));
  const CpuTraits traits = cpuTraits(*machine);
  return fmt::format("{}, {}, {} vectors of {} bytes",
                     machine->getTargetTriple().getArchName().str(), machine->getTargetCPU().str(),
                     traits.vector_registers, traits.vector_bytes);
}

}  // namespace vta::codegen
