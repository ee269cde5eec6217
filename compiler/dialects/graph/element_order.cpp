#include "compiler/dialects/graph/element_order.h"

#include <optional>

#include "compiler/dialects/graph/graph.h"
#include "mlir/IR/BuiltinTypes.h"

namespace vta::graph {
namespace {

using mlir::Value;

llvm::ArrayRef<int64_t> extentsOf(Value value) {
  return mlir::cast<mlir::RankedTensorType>(value.getType()).getShape();
}

using Run = ElementLoop;
using Runs = llvm::SmallVector<Run>;
/// The loops of each dimension, the outermost first.
using Order = llvm::SmallVector<Runs>;

Order inRowMajorOrder(llvm::ArrayRef<int64_t> shape) {
  Order order(shape.size());
  int64_t stride = 1;
  for (size_t d = shape.size(); d-- > 0;) {
    order[d] = {{shape[d], stride}};
    stride *= shape[d];
  }
  return order;
}

/// The loops without those of one step; two that are one become one.
Runs merged(llvm::ArrayRef<Run> loops) {
  Runs runs;
  for (const Run& run : loops) {
    if (run.extent == 1) continue;
    if (!runs.empty() && runs.back().stride == run.extent * run.stride) {
      runs.back() = {runs.back().extent * run.extent, run.stride};
    } else {
      runs.push_back(run);
    }
  }
  return runs;
}
Runs merged(const Order& order) {
  Runs all;
  for (const Runs& dimension : order) all.append(dimension);
  return merged(llvm::ArrayRef<Run>(all));
}

/// Deals the loops out to dimensions of these extents, splitting them where that is possible.
std::optional<Order> reshaped(const Order& order, llvm::ArrayRef<int64_t> shape) {
  const Runs runs = merged(order);
  Order result;
  size_t next = 0;
  Run rest = runs.empty() ? Run() : runs[0];
  for (const int64_t extent : shape) {
    Runs& dimension = result.emplace_back();
    for (int64_t missing = extent; missing > 1;) {
      if (rest.extent == 1) rest = runs[++next];
      if (missing % rest.extent == 0) {
        dimension.push_back(rest);
        missing /= rest.extent;
        rest.extent = 1;
      } else if (rest.extent % missing == 0) {
        rest.extent /= missing;
        dimension.push_back({missing, rest.stride * rest.extent});
        missing = 1;
      } else {
        return std::nullopt;
      }
    }
  }
  return result;
}

std::optional<Order> orderOf(Value from, Value to) {
  if (from == to) return inRowMajorOrder(extentsOf(from));
  mlir::Operation* op = to.getDefiningOp();
  if (!mlir::isa_and_nonnull<ReshapeOp, TransposeOp>(op)) return std::nullopt;
  const std::optional<Order> order = orderOf(from, op->getOperand(0));
  if (!order) return std::nullopt;
  if (mlir::isa<ReshapeOp>(op)) return reshaped(*order, extentsOf(to));
  Order transposed;
  for (const int64_t d : mlir::cast<TransposeOp>(op).getPermutation()) {
    transposed.push_back((*order)[static_cast<size_t>(d)]);
  }
  return transposed;
}

}  // namespace

bool hasOrder(Value from, Value to, llvm::ArrayRef<ElementLoop> loops) {
  const std::optional<Order> order = orderOf(from, to);
  return order && llvm::equal(merged(*order), merged(loops), [](const Run& a, const Run& b) {
           return a.extent == b.extent && a.stride == b.stride;
         });
}

bool keepsOrder(Value from, Value to) {
  const auto type = mlir::cast<mlir::RankedTensorType>(from.getType());
  return hasOrder(from, to, {{type.getNumElements(), 1}});
}

}  // namespace vta::graph
