// What back ends share on the way from the graph to code, as passes (passes.td describes each) and
// pipelines of them. docs/cpu-backend.md has the stages in order.
#pragma once

#include <memory>

#include "compiler/codegen/backend.h"

namespace mlir {
class DialectRegistry;
class MLIRContext;
class OpPassManager;
class Pass;
}  // namespace mlir

namespace vta::codegen {

#define GEN_PASS_DECL
#include "compiler/codegen/passes.h.inc"

/// Tables of 256 entries are arguments: code that reads one is the same for all of them.
inline constexpr size_t kLargestInlineBytes = 255;

/// The pass, with the values of the hoisted constants left in `constants`.
std::unique_ptr<mlir::Pass> createHostHoistConstantsPass(
    FunctionConstants* constants, size_t largest_inline_bytes = kLargestInlineBytes);

/// From graph ops to linalg on tensors: element-wise chains fused, loops ordered.
void buildFusedLinalgPipeline(mlir::OpPassManager& manager,
                              const HostFuseElementwisePassOptions& options = {});

/// From tensors to buffers: every public function takes (context, inputs, constants, results) and
/// returns nothing. Each buffer is allocated by itself.
void buildBufferizationPipeline(mlir::OpPassManager& manager);

/// Afterwards a function makes one allocation.
void buildBufferPlanPipeline(mlir::OpPassManager& manager,
                             const HostPlanBuffersPassOptions& options = {});

/// Both.
void buildBufferPipeline(mlir::OpPassManager& manager);

/// From loops and buffers to the LLVM dialect, with bare pointers for buffers.
void buildLlvmPipeline(mlir::OpPassManager& manager, unsigned index_bits);

/// What the pipelines need besides their dialects: external models of bufferization, translations
/// to LLVM IR.
void registerCodegenDialects(mlir::DialectRegistry& registry);

/// Registers them, and loads all dialects of the pipelines.
void loadCodegenDialects(mlir::MLIRContext& context);

/// The name suffix of the declaration through which a loop body function is called: the body's
/// arguments, but the iteration count instead of the range.
inline constexpr const char* kDispatchSuffix = ".parallel";
/// The declaration (context, text, index, extent) whose calls become calls of the host context's
/// `fail`.
inline constexpr const char* kFailIndexFunction = "vta.fail_index";
/// On a public function: it gets an entry point of the host ABI.
inline constexpr const char* kEntryAttr = "vta.entry";

}  // namespace vta::codegen
