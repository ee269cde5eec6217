// The passes of the CPU back end (passes.td describes each) and all of its stages in order.
#pragma once

#include <memory>

#include "compiler/codegen/backend.h"
#include "compiler/codegen/llvm/target.h"
#include "host_cpu/backend/options.h"

namespace mlir {
class OpPassManager;
class Pass;
}  // namespace mlir

namespace vta::codegen {

#define GEN_PASS_DECL
#include "host_cpu/backend/passes.h.inc"

/// The pass, with the values of the constants that kernels need, and whose schedules they have,
/// left in `code`; null: nobody wants to know. Of `options` it takes what is about schedules.
std::unique_ptr<mlir::Pass> createCpuBlockChannelsPass(const CpuTraits& traits, CompiledCode* code,
                                                       const CodeOptions& options);

/// The pass, with the names of each function's layers left in `code`; null: nobody wants to know.
std::unique_ptr<mlir::Pass> createCpuMarkLayersPass(CompiledCode* code);

/// Makes the passes and the pipeline of all stages available by name. Call once per process.
void registerHostCpu();

/// From functions of graph ops to the LLVM dialect. `code` gets what the functions take after their
/// inputs, and notes on their convolutions; null: nobody wants to know.
void buildCpuPipeline(mlir::OpPassManager& manager, const CpuTraits& traits,
                      const CodeOptions& options, CompiledCode* code);

/// The end of it, for functions that are loops over buffers already.
void buildCpuLoopPipeline(mlir::OpPassManager& manager, const CpuTraits& traits, bool parallel,
                          CompiledCode* code = nullptr);

}  // namespace vta::codegen
