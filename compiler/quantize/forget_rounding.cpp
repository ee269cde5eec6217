#include "compiler/quantize/forget_rounding.h"

#include <algorithm>
#include <limits>

#include "compiler/dialects/graph/graph.h"
#include "mlir/IR/Builders.h"

namespace vta::compiler {
namespace {

using mlir::Operation;
using mlir::Value;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

struct Bounds {
  double least = -kInfinity, most = kInfinity;
};

/// What a relu or clip bounds already.
Bounds boundsOf(Operation* op) {
  if (auto clip = mlir::dyn_cast<graph::ClipOp>(op)) {
    return {clip.getMin().convertToDouble(), clip.getMax().convertToDouble()};
  }
  return {0, kInfinity};
}

bool isClip(Operation* op) {
  auto unary = mlir::dyn_cast<graph::UnaryOp>(op);
  return mlir::isa<graph::ClipOp>(op) || (unary && unary.getKind() == graph::UnaryKind::relu);
}

/// Results that can go beyond what they are rounded to.
bool isSum(Operation* op) {
  return mlir::isa<graph::ConvOp, graph::MatMulOp, graph::BinaryOp, graph::AvgPoolOp>(op);
}

void boundAsRounded(Value value, const QuantParams& params) {
  Operation* op = value.getDefiningOp();
  if (!op || (!isClip(op) && !isSum(op))) return;
  const auto zero_point = static_cast<double>(params.zero_point);
  double least = (-128 - zero_point) * params.scale, most = (127 - zero_point) * params.scale;
  // One clip for all that follow each other: a kernel takes one behind its sum.
  Value bounded = value;
  llvm::SmallVector<Operation*> merged;
  for (Operation* clip = op; clip && isClip(clip) && (clip == op || clip->hasOneUse());
       clip = bounded.getDefiningOp()) {
    const Bounds before = boundsOf(clip);
    least = std::max(least, before.least);
    most = std::min(most, before.most);
    bounded = clip->getOperand(0);
    merged.push_back(clip);
  }
  mlir::OpBuilder builder(op->getContext());
  builder.setInsertionPointAfter(op);
  auto clip = builder.create<graph::ClipOp>(op->getLoc(), value.getType(), bounded,
                                            llvm::APFloat(least), llvm::APFloat(most));
  value.replaceAllUsesExcept(clip, clip);
  for (Operation* before : merged) before->erase();
}

}  // namespace

void forgetRounding(mlir::func::FuncOp function, GivenQuantization& given) {
  llvm::SmallVector<std::pair<Value, QuantParams>> rounded;
  for (Operation& op : function.getBody().front()) {
    // What changes from one rounding to another has its bounds from the first one.
    if (isIdentity(op) && given.find(op.getOperand(0))) continue;
    for (Value result : op.getResults()) {
      if (const QuantParams* params = given.find(result)) rounded.emplace_back(result, *params);
    }
  }
  for (const auto& [value, params] : rounded) boundAsRounded(value, params);
  given = GivenQuantization();
  eraseIdentities(function);
}

}  // namespace vta::compiler
