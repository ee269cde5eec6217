#include "compiler/vta/host/split_run.h"

#include <algorithm>
#include <tuple>
#include <vector>

#include "compiler/dialects/graph/work.h"
#include "llvm/ADT/DenseMap.h"
#include "mlir/IR/BuiltinTypes.h"

namespace vta::compiler {
namespace {

using mlir::Operation;

int64_t sizeInBits(mlir::Value value) {
  auto tensor = mlir::dyn_cast<mlir::RankedTensorType>(value.getType());
  if (!tensor || !tensor.hasStaticShape() || !tensor.getElementType().isIntOrFloat()) return 0;
  return tensor.getNumElements() * tensor.getElementTypeBitWidth();
}

/// For every place in front of `ops[i]`, the bits that operations before it have written and those
/// from it on read.
std::vector<int64_t> bitsAcross(llvm::ArrayRef<Operation*> ops) {
  llvm::DenseMap<Operation*, size_t> positions;
  for (auto [i, op] : llvm::enumerate(ops)) positions[op] = i;
  std::vector<int64_t> changes(ops.size() + 1);
  for (auto [i, op] : llvm::enumerate(ops)) {
    for (mlir::Value result : op->getResults()) {
      size_t last = i;
      for (Operation* user : result.getUsers()) {
        const auto found = positions.find(user);
        if (found != positions.end()) last = std::max(last, found->second);
      }
      changes[i + 1] += sizeInBits(result);
      changes[last + 1] -= sizeInBits(result);
    }
  }
  for (size_t i = 1; i < changes.size(); ++i) changes[i] += changes[i - 1];
  return changes;
}

}  // namespace

size_t lengthOfFirstFunction(llvm::ArrayRef<Operation*> ops, size_t limit) {
  if (ops.size() <= limit) return ops.size();
  const std::vector<int64_t> bits = bitsAcross(ops);
  const auto cost = [&](size_t length) {
    return std::tuple(graph::countMacs(ops[length]) == 0, bits[length]);
  };
  size_t best = limit;
  for (size_t length = limit; length > limit / 2; --length) {
    if (cost(length) < cost(best)) best = length;
  }
  return best;
}

}  // namespace vta::compiler
