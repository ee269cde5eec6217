#include "compiler/dialects/graph/graph.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"

// Generated code has unused parameters.
#pragma GCC diagnostic ignored "-Wunused-parameter"
#include "compiler/dialects/graph/graph_dialect.cpp.inc"
#include "compiler/dialects/graph/graph_enums.cpp.inc"

void vta::graph::GraphDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "compiler/dialects/graph/graph_ops.cpp.inc"
      >();
}

#define GET_OP_CLASSES
#include "compiler/dialects/graph/graph_ops.cpp.inc"
