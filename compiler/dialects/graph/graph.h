// The graph dialect: networks with ONNX semantics. Documentation: graph_ops.td.
#pragma once

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

// Generated code has unused parameters.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"
#include "compiler/dialects/graph/graph_dialect.h.inc"
#include "compiler/dialects/graph/graph_enums.h.inc"

#define GET_OP_CLASSES
#include "compiler/dialects/graph/graph_ops.h.inc"
#pragma GCC diagnostic pop
