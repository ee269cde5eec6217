#include "host_gpu/kernels/gemm/product.h"

#include "host_gpu/kernels/group_buffers.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

namespace vta::codegen {
namespace {

using namespace mlir;

/// Fewer rows, columns or products than that are left to one invocation for each element.
constexpr int64_t kLeastExtent = 8;

GemmElement elementOf(const Contraction& contraction) {
  const auto is_half = [](const LinearOperand& factor) {
    return getElementTypeOrSelf(factor.buffer.getType()).isF16();
  };
  if (contraction.sum.isF32()) {
    const bool are_halves = is_half(contraction.left) && is_half(contraction.right);
    return are_halves ? GemmElement::kF16 : GemmElement::kF32;
  }
  const auto is_int8 = [](const LinearOperand& factor) {
    return isa_and_nonnull<arith::ExtSIOp>(factor.extension) &&
           getElementTypeOrSelf(factor.buffer.getType()).isInteger(8);
  };
  const bool are_int8 = is_int8(contraction.left) && is_int8(contraction.right);
  return are_int8 ? GemmElement::kInt8 : GemmElement::kInt32;
}

}  // namespace

GemmSpec gemmSpecOf(const Contraction& contraction) {
  return {.batch = contraction.count(contraction.batch),
          .rows = contraction.count(contraction.rows),
          .columns = contraction.count(contraction.columns),
          .depth = contraction.count(contraction.depth),
          .element = elementOf(contraction)};
}

std::optional<Contraction> matchBlocks(linalg::LinalgOp op) {
  std::optional<Contraction> contraction = matchContraction(op);
  if (!contraction) return {};
  const GemmSpec spec = gemmSpecOf(*contraction);
  if (std::min({spec.rows, spec.columns, spec.depth}) < kLeastExtent) return {};
  return contraction;
}

std::optional<Product> matchProduct(const OpGroup& group) {
  const auto* found = llvm::find_if(group, [](linalg::LinalgOp op) { return matchBlocks(op); });
  if (found == group.end() || found - group.begin() > 1) return {};
  Product product{.contraction = *matchBlocks(*found)};
  product.initial = product.contraction.out;
  if (found != group.begin()) {
    const std::optional<InitialSums> initial = initialSums(group.front(), *found);
    if (!initial) return {};
    product.initial = *initial;
  }
  for (const linalg::LinalgOp op : llvm::make_range(std::next(found), group.end())) {
    std::optional<EpilogueStep> step = matchEpilogue(op, *found);
    if (!step) return {};
    product.steps.push_back(*std::move(step));
  }
  const FailureOr<GroupBuffers> used = collectBuffers(group);
  if (failed(used)) return {};
  product.constants = llvm::to_vector(used->constants);
  return product;
}

}  // namespace vta::codegen
