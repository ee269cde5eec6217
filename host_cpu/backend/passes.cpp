#include "host_cpu/backend/passes.h"

#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"

namespace vta::codegen {
namespace {

#define GEN_PASS_REGISTRATION
#include "host_cpu/backend/passes.h.inc"

}  // namespace

void registerHostCpu() {
  registerHostCpuPasses();
  mlir::PassPipelineRegistration<>(
      "host-cpu-pipeline",
      "All stages of the CPU back end, for a baseline CPU with 64-bit pointers",
      [](mlir::OpPassManager& manager) { buildCpuPipeline(manager, CpuTraits(), {}, nullptr); });
}

}  // namespace vta::codegen
