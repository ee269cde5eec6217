#include "host_cpu/blocked/integers/plan.h"

#include <algorithm>

#include "host_cpu/blocked/graph_queries.h"
#include "host_cpu/blocked/integers/upper_halves.h"

namespace vta::codegen::blocked {
namespace {

using namespace mlir;

bool hasPads(graph::ConvOp conv) {
  return llvm::any_of(conv.getPads(), [](int64_t pad) { return pad != 0; });
}

/// Whether a kernel can compute the sums, if their input has the padding that they want.
bool isIntegerConv(graph::ConvOp conv) {
  if (!isByteImage(conv.getInput()) || !isByteConstant(conv.getWeight()) || conv.getBias()) {
    return false;
  }
  if (llvm::any_of(conv.getPads(), [](int64_t pad) { return pad < 0; })) return false;
  return static_cast<int64_t>(conv.getGroup()) == 1 || isDepthwise(conv);
}

bool hasKernel(Operation* sums) {
  if (auto conv = dyn_cast<graph::ConvOp>(sums)) {
    return isIntegerConv(conv) && (!hasPads(conv) || IntegerPlan::haloValue(conv.getInput()) ==
                                                         static_cast<int64_t>(conv.getPadValue()));
  }
  auto matmul = cast<graph::MatMulOp>(sums);
  return typeOf(matmul.getLhs()).getRank() == 2 &&
         typeOf(matmul.getLhs()).getElementType().isSignlessInteger(8) &&
         typeOf(matmul.getRhs()).getRank() == 2 && isByteConstant(matmul.getRhs());
}

/// How many columns right of the image a depthwise kernel reads: more than the padding, since it
/// takes kWordBytes neighbours at once.
int64_t columnsBehind(graph::ConvOp conv) {
  ConvSpec spec;
  spec.in.is_integer = true;
  spec.depthwise = true;
  spec.kernel[1] = typeOf(conv.getWeight()).getDimSize(3);
  spec.dilations[1] = conv.getDilations()[1];
  if (spec.positionsPerStep() == 1) return 0;
  const int64_t last = (typeOf(conv.getOutput()).getDimSize(3) - 1) * conv.getStrides()[1] -
                       conv.getPads()[1] + spec.rowSteps() * kWordBytes;
  return last - typeOf(conv.getInput()).getDimSize(3);
}

}  // namespace

IntegerPlan::IntegerPlan(func::FuncOp function) {
  for (Operation& op : function.getBody().front()) {
    if (auto cast = dyn_cast<graph::CastOp>(op)) take(cast);
    auto pool = dyn_cast<graph::MaxPoolOp>(op);
    auto concat = dyn_cast<graph::ConcatOp>(op);
    if ((pool && staysBlocked(pool)) || (concat && staysBlocked(concat))) {
      movements_.insert(&op);
      followed_.insert(op.getResult(0));
    }
  }
}

void IntegerPlan::take(graph::CastOp root) {
  std::optional<IntegerTree> tree = findIntegerTree(root);
  if (!tree || (tree->sums && !hasKernel(tree->sums))) return;
  // Without sums it is worth while only where the images are blocked anyway.
  const auto is_followed = [&](Value image) { return followed_.contains(image); };
  if (!tree->sums && (tree->images.empty() || !llvm::all_of(tree->images, is_followed))) return;
  takeUpperHalves(*tree);
  inside_.insert(tree->ops.begin(), tree->ops.end());
  followed_.insert(root.getOutput());
  trees_.try_emplace(root, *std::move(tree));
}

bool IntegerPlan::staysBlocked(graph::MaxPoolOp pool) const {
  return isByteImage(pool.getInput()) && followed_.contains(pool.getInput()) && isBlockedPool(pool);
}

bool IntegerPlan::staysBlocked(graph::ConcatOp concat) const {
  const int64_t axis = static_cast<int64_t>(concat.getAxis());
  if (!isByteImage(concat.getOutput()) || (axis != 1 && axis != -3)) return false;
  for (auto [i, input] : llvm::enumerate(concat.getInputs())) {
    const bool last = i + 1 == concat.getInputs().size();
    if (!followed_.contains(input)) return false;
    if (!last && typeOf(input).getDimSize(1) % kBlock != 0) return false;
  }
  return true;
}

const IntegerTree* IntegerPlan::tree(Operation* op) const {
  const auto found = trees_.find(op);
  return found == trees_.end() ? nullptr : &found->second;
}

bool IntegerPlan::isInside(Operation* op) const {
  if (inside_.contains(op)) return true;
  // Images are widened for several trees at once.
  auto cast = dyn_cast<graph::CastOp>(op);
  return cast && isByteImage(cast.getInput()) && !op->use_empty() &&
         llvm::all_of(op->getUsers(), [&](Operation* user) {
           return inside_.contains(user) || trees_.contains(user);
         });
}

Layout IntegerPlan::layoutOf(Value image) const {
  Layout layout = imageLayout(image);
  layout.is_integer = true;
  for (OpOperand& use : image.getUses()) {
    auto conv = dyn_cast<graph::ConvOp>(use.getOwner());
    if (!conv || use.getOperandNumber() != 0 || !inside_.contains(conv)) continue;
    for (int side = 0; side < 4; ++side) {
      layout.halo[side] = std::max(layout.halo[side], conv.getPads()[side]);
    }
    if (isDepthwise(conv)) layout.halo[3] = std::max(layout.halo[3], columnsBehind(conv));
  }
  return layout;
}

Layout IntegerPlan::packedLayoutOf(Value image) const {
  Layout layout = layoutOf(image);
  const bool is_narrow = llvm::all_of(image.getUses(), [&](OpOperand& use) {
    auto conv = dyn_cast<graph::ConvOp>(use.getOwner());
    return conv && use.getOperandNumber() == 0 && inside_.contains(conv) && !isDepthwise(conv);
  });
  if (is_narrow) {
    const int64_t words = (layout.channels + kWordBytes - 1) / kWordBytes;
    layout.block = std::min(kBlock, words * kWordBytes);
  }
  return layout;
}

int64_t IntegerPlan::haloValue(Value image) {
  for (OpOperand& use : image.getUses()) {
    auto conv = dyn_cast<graph::ConvOp>(use.getOwner());
    if (conv && use.getOperandNumber() == 0 && isIntegerConv(conv) && hasPads(conv)) {
      return static_cast<int64_t>(conv.getPadValue());
    }
  }
  return 0;
}

}  // namespace vta::codegen::blocked
