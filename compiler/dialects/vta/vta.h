// The vta dialect: offloaded kernels on packed tensors. Documentation: vta_ops.td.
#pragma once

#include "compiler/dialects/vta/attributes.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

// Generated code has unused parameters.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"
#include "compiler/dialects/vta/vta_dialect.h.inc"

#define GET_OP_CLASSES
#include "compiler/dialects/vta/vta_ops.h.inc"
#pragma GCC diagnostic pop

namespace vta::compiler {

// Discardable attributes; see vta_ops.td.
inline constexpr const char* kOffloadAttr = "vta.offload";
inline constexpr const char* kReferenceAttr = "vta.reference";
inline constexpr const char* kLayerAttr = "vta.layer";
inline constexpr const char* kOpAttr = "vta.op";
inline constexpr const char* kReasonAttr = "vta.reason";
inline constexpr const char* kMacsAttr = "vta.macs";
inline constexpr const char* kAnyValueAttr = "vta.any_value";
// Of a function that a tile kernel of the user's computes: the kernel as text
// (compiler/tile/file/kernel_file.h), and its program.
inline constexpr const char* kTileKernelAttr = "vta.tile_kernel";
inline constexpr const char* kProgramAttr = "vta.program";

/// What runs as one program on the accelerator: vta.kernel, vta.chain, vta.program.
bool isProgram(mlir::Operation* op);

/// The packed type of a plain activation: rank 4 (NCHW) or rank 2 (rows, channels).
mlir::RankedTensorType packedType(mlir::RankedTensorType plain, int64_t batch, int64_t block);

}  // namespace vta::compiler
