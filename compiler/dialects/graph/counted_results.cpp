#include "compiler/dialects/graph/counted_results.h"

#include <algorithm>

namespace vta::graph {

std::optional<CountedResult> countOf(mlir::func::FuncOp function, unsigned index) {
  const auto values = function.getResultAttrOfType<mlir::DenseI64ArrayAttr>(index, kCountAttr);
  if (!values || values.size() != 2) return std::nullopt;
  return CountedResult{static_cast<unsigned>(values[0]), values[1]};
}

void setCount(mlir::func::FuncOp function, unsigned index, const CountedResult& count) {
  function.setResultAttr(
      index, kCountAttr,
      mlir::DenseI64ArrayAttr::get(function.getContext(), {count.result, count.axis}));
}

unsigned countResults(mlir::func::FuncOp function) {
  const unsigned results = function.getNumResults();
  unsigned first = results;
  for (unsigned i = 0; i < results; ++i) {
    if (const auto count = countOf(function, i)) first = std::min(first, count->result);
  }
  return results - first;
}

}  // namespace vta::graph
