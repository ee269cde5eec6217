// Results of a function whose size depends on data. Their tensors are static and have room for the
// largest; another result of the function, behind those that the model gives, counts the valid
// part.
#pragma once

#include <cstdint>
#include <optional>

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace vta::graph {

struct CountedResult {
  unsigned result = 0;  // number of the result that counts: a 0-D tensor of i64
  int64_t axis = 0;     // the first so many positions of this dimension are valid
};

/// The attribute of a result that is counted: [number of the counting result, axis].
inline constexpr const char* kCountAttr = "graph.count";

/// What counts result `index` of `function`; nothing if all of it is valid.
std::optional<CountedResult> countOf(mlir::func::FuncOp function, unsigned index);
void setCount(mlir::func::FuncOp function, unsigned index, const CountedResult& count);

/// How many of the last results only count others.
unsigned countResults(mlir::func::FuncOp function);

}  // namespace vta::graph
