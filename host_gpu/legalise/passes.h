// From a kernel as it is written to one that every GPU can run (passes.td describes each pass).
#pragma once

#include <memory>

namespace mlir {
class OpPassManager;
class Pass;
}  // namespace mlir

namespace vta::codegen {

#define GEN_PASS_DECL
#include "host_gpu/legalise/passes.h.inc"

/// All passes in order, for modules of one kernel. Afterwards it consists of arith, math, memref,
/// scf and gpu ops on i1, i32, f32, index and pairs of i32.
/// But for products of four bytes (spirv.SDot), which buildPlainProductsPipeline() replaces.
void buildLegaliseKernelPipeline(mlir::OpPassManager& manager);

/// For devices without products of four bytes, behind buildLegaliseKernelPipeline().
void buildPlainProductsPipeline(mlir::OpPassManager& manager);

/// Makes the passes and the pipeline available by name. Call once per process.
void registerHostGpu();

}  // namespace vta::codegen
