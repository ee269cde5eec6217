// The stages of the CPU backend, in the order in which host_compiler.cpp runs them. Each works on a
// whole module and reports its failures as diagnostics.
#pragma once

#include "compiler/codegen/cpu/constants.h"
#include "compiler/codegen/cpu/target.h"
#include "mlir/IR/BuiltinOps.h"

namespace vta::host {

/// Registers what the stages need (external models of bufferization, translations) and loads their
/// dialects.
void loadDialects(mlir::MLIRContext& context);

/// 1. Calls are inlined; every function gets the host context as first argument; float convolutions
/// and what lies between them become calls of blocked kernels (see blocked/); all other graph ops
/// become linalg, with element-wise chains fused and loops ordered so that the innermost one walks
/// along memory; large constants become arguments.
mlir::LogicalResult prepareTensors(mlir::ModuleOp module, const CpuTraits& traits,
                                   FunctionConstants& constants);

/// 2. Tensors become buffers: every public function takes (context, inputs, constants, results) and
/// returns nothing.
mlir::LogicalResult bufferize(mlir::ModuleOp module);

/// 3. All buffers of a function get one allocation, in which buffers that do not live at the same
/// time share memory.
void planBuffers(mlir::func::FuncOp function);

/// 4. linalg becomes loops; each parallel loop nest with enough work becomes a function of its own
/// with the attribute kLoopBodyAttr, called through an external function (see codegen.h).
mlir::LogicalResult lowerToLoops(mlir::ModuleOp module, bool parallel);

/// 5. Everything becomes the LLVM dialect, with bare pointers for buffers.
mlir::LogicalResult lowerToLlvmDialect(mlir::ModuleOp module, unsigned index_bits);

/// The name suffix of the declaration through which a loop body function is called: the body's
/// arguments, but the iteration count instead of the range.
inline constexpr const char* kDispatchSuffix = ".parallel";
/// On a public function: it gets an entry point of the host ABI.
inline constexpr const char* kEntryAttr = "vta.entry";

}  // namespace vta::host
