#include "host_gpu/backend/backend.h"

#include <algorithm>
#include <limits>

#include "compiler/codegen/machine_rates.h"
#include "compiler/codegen/passes.h"
#include "compiler/common/diagnostics.h"
#include "host_gpu/backend/kernel_compiler.h"
#include "host_gpu/backend/program_builder.h"
#include "host_gpu/backend/supported_ops.h"
#include "host_gpu/kernels/buffer_ranges.h"
#include "host_gpu/legalise/passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"
#include "module/analysis/float_tolerance.h"
#include "module/gpu/gpu_ranges.h"

namespace vta::codegen {
namespace {

static_assert(GpuKernelLimits{}.range_bytes == kGpuRangeBytes);

/// What the program for all devices binds at once.
int64_t rangeBytesFor(const GpuOptions& options) {
  constexpr auto kAlignment = static_cast<int64_t>(kGpuAlignmentBytes);
  const int64_t most = std::min(options.limits.range_bytes, GpuKernelLimits{}.range_bytes);
  return std::max(most / kAlignment * kAlignment, kAlignment);
}

/// From graph ops to linalg ops on buffers.
void buildGpuBufferPipeline(mlir::OpPassManager& manager, FunctionConstants& constants,
                            const GpuOptions& options) {
  manager.addPass(createHostInlineCallsPass());
  manager.addPass(mlir::createCanonicalizerPass());
  manager.addPass(mlir::createCSEPass());
  manager.addPass(createHostAddContextPass());
  buildFusedLinalgPipeline(manager, {.most_operands = kMostRanges});
  if (options.precision == GpuPrecision::kFloat16) {
    manager.addPass(createGpuStoreHalvesPass());
    manager.addPass(mlir::createCanonicalizerPass());
    manager.addPass(mlir::createCSEPass());
  }
  // Kernels have no tables of their own.
  manager.addPass(createHostHoistConstantsPass(&constants, /*largest_inline_bytes=*/0));
  buildBufferizationPipeline(manager);
  manager.addPass(createGpuGroupOpsPass({rangeBytesFor(options)}));
  buildBufferPlanPipeline(manager, {.alignment_bytes = kGpuAlignmentBytes,
                                    .most_bytes = kGpuBufferBytes,
                                    .range_bytes = kGpuRangeBytes});
}

/// CodeBlob::target of programs that not every device can run.
constexpr const char* kLargeTarget = "large workgroups";
constexpr const char* kLargeRangesTarget = "large buffers";

Status addProgram(mlir::func::FuncOp function, const GpuProgram& program, const char* target,
                  CompiledCode& code) {
  VTA_ASSIGN_OR_RETURN(std::vector<std::byte> bytes, serializeGpuProgram(program));
  code.blobs.push_back({.kind = CodeBlob::Kind::kProgram,
                        .function = function.getName().str(),
                        .target = target,
                        .bytes = std::move(bytes)});
  return {};
}

/// Adds the function's program, which binds each buffer at once. If not every device can run it, a
/// second form follows that every device can run.
Status addPrograms(mlir::func::FuncOp function, const GpuOptions& options, const ObjectCache& cache,
                   CompiledCode& code) {
  constexpr int64_t kWhole = std::numeric_limits<int64_t>::max();
  VTA_ASSIGN_OR_RETURN(const BuiltGpuProgram built,
                       buildGpuProgram(function, options, kWhole, cache));
  code.notes.insert(code.notes.end(), built.notes.begin(), built.notes.end());
  const int64_t range_bytes = rangeBytesFor(options);
  const bool has_large = built.largest_range_bytes > static_cast<uint64_t>(range_bytes);
  if (!built.needs_more && !has_large) return addProgram(function, built.program, "", code);
  const char* target = built.needs_more ? kLargeTarget : kLargeRangesTarget;
  VTA_RETURN_IF_ERROR(addProgram(function, built.program, target, code));
  GpuOptions plain;
  plain.codes = options.codes;
  plain.limits.range_bytes = range_bytes;
  VTA_ASSIGN_OR_RETURN(const BuiltGpuProgram for_all,
                       buildGpuProgram(function, plain, range_bytes, cache));
  return addProgram(function, for_all.program, "", code);
}

class GpuBackend : public Backend {
 public:
  std::string_view name() const override { return kGpuBackend; }
  ExecutorInfo executor() const override { return gpuExecutor(); }
  MemoryTraits memory() const override { return gpuMemory(); }
  bool isOptional() const override { return true; }

  Status checkOptions(const CodeOptions& options) const override {
    return checkExtraCodes(gpuOptionsOf(options).codes);
  }

  Status canRun(mlir::Operation* op) const override { return checkGpuOp(op); }

  int64_t cost(mlir::Operation* op) const override { return costOn(kUsualGpu, op); }
  int64_t costPerStep() const override { return costPerRunOn(kUsualGpu); }
  std::vector<Transfer> transfers() const override {
    const std::string gpu = executor().name, cpu = cpuExecutor().name;
    const TransferCost cost = transferCostOf(kUsualGpu);
    return {{gpu, cpu, cost}, {cpu, gpu, cost}};
  }

  Result<CompiledCode> compile(mlir::ModuleOp module, const CodeOptions& options) const override {
    loadCodegenDialects(*module.getContext());
    const GpuPrecision precision = gpuOptionsOf(options).precision;
    CompiledCode code;
    if (precision == GpuPrecision::kFloat16) code.features.emplace_back(kFloat16Storage);
    {
      compiler::DiagnosticCollector diagnostics(module.getContext());
      mlir::PassManager manager(module.getContext(), mlir::ModuleOp::getOperationName());
      buildGpuBufferPipeline(manager, code.constants, gpuOptionsOf(options));
      if (mlir::failed(manager.run(module))) {
        return unsupported("GPU code generation: " + diagnostics.take());
      }
    }
    const ObjectCache cache(options.cache_folder);
    for (auto function : module.getOps<mlir::func::FuncOp>()) {
      if (!function->hasAttr(kEntryAttr)) continue;
      VTA_RETURN_IF_ERROR(addPrograms(function, gpuOptionsOf(options), cache, code));
    }
    return code;
  }
};

}  // namespace

const Backend& gpuBackend() {
  static const GpuBackend backend;
  return backend;
}

}  // namespace vta::codegen

// What the CMakeLists.txt names, so that the linker keeps it.
extern "C" {
extern const bool vta_backend_host_gpu;
const bool vta_backend_host_gpu = (vta::codegen::registerBackend(vta::codegen::gpuBackend()), true);
}
