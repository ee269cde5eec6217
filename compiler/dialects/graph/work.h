// How much there is to do for an op of the graph.
#pragma once

#include <cstdint>

#include "mlir/IR/Operation.h"

namespace vta::graph {

/// True for contractions of two i8 operands into i32, which accelerators are made for.
bool isIntegerContraction(mlir::Operation* op);

/// Multiply-accumulates of a contraction in the graph's own sizes; 0 for anything else.
int64_t countMacs(mlir::Operation* op);

/// Elements of all results.
int64_t countResultElems(mlir::Operation* op);

/// True for a tensor without elements.
bool isEmpty(mlir::Value value);

/// True for ops that only move or reinterpret elements.
bool isDataMovement(mlir::Operation* op);

}  // namespace vta::graph
