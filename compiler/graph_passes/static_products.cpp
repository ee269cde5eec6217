#include <cmath>
#include <optional>
#include <vector>

#include "compiler/dialects/graph/constant_tensor.h"
#include "compiler/dialects/graph/work.h"
#include "compiler/graph_passes/pass_utils.h"
#include "compiler/graph_passes/passes.h"
#include "llvm/ADT/SetVector.h"
#include "mlir/IR/IRMapping.h"

namespace vta::compiler {

#define GEN_PASS_DEF_GRAPHSTATICPRODUCTSPASS
#include "compiler/graph_passes/passes.h.inc"

namespace {

using mlir::Operation;
using mlir::RankedTensorType;
using mlir::Value;

RankedTensorType realType(Value like) {
  auto type = mlir::cast<RankedTensorType>(like.getType());
  return type.clone(mlir::Float32Type::get(like.getContext()));
}

bool isPlainMove(Operation* op) {
  return op != nullptr && mlir::isa<graph::ReshapeOp, graph::TransposeOp>(op);
}

/// The ui8 tensor that `value`, of i8, is less 128: how the import makes signed integers of it.
Value unsignedSource(Value value) {
  auto narrow = value.getDefiningOp<graph::CastOp>();
  auto sub = narrow ? narrow.getInput().getDefiningOp<graph::BinaryOp>() : graph::BinaryOp();
  if (!sub || sub.getKind() != graph::BinaryKind::sub) return {};
  auto widen = sub.getLhs().getDefiningOp<graph::CastOp>();
  const mlir::DenseElementsAttr offset = graph::constantOf(sub.getRhs());
  if (!widen || !offset || offset.getNumElements() != 1) return {};
  const bool is_128 = graph::ConstantTensor(offset).asIntegers().front() == 128;
  const Value source = widen.getInput();
  return is_128 && graph::elementTypeOf(source).isUnsignedInteger(8) ? source : Value();
}

/// The op that rounds what `value` consists of, with one scale for the tensor; null if there is
/// none.
graph::QuantizeOp roundingOf(Value value) {
  while (Operation* op = value.getDefiningOp()) {
    if (auto quantize = mlir::dyn_cast<graph::QuantizeOp>(op)) {
      const bool is_usable = quantize.getScales().size() == 1 &&
                             std::isnormal(quantize.getScales()[0]) &&
                             std::isnormal(1 / quantize.getScales()[0]);
      return is_usable ? quantize : graph::QuantizeOp();
    }
    const Value source = unsignedSource(value);
    const bool moves = isPlainMove(op) || mlir::isa<graph::MaxPoolOp>(op);
    if (!source && !moves) return {};
    value = source ? source : op->getOperand(0);
  }
  return {};
}

/// Rewrites the product behind one cast; one use.
class StaticProduct {
 public:
  StaticProduct(graph::CastOp cast, mlir::OpBuilder& builder) : cast_(cast), builder_(builder) {}

  /// Whether the cast is one of a product that can be rewritten.
  bool match() {
    Value value = cast_.getInput();
    if (!cast_.getType().getElementType().isF32()) return false;
    while (Operation* op = value.getDefiningOp()) {
      if (graph::isIntegerContraction(op)) return matchProduct(op);
      if (!value.hasOneUse()) return false;
      if (mlir::isa<graph::ReshapeOp>(op) && addends_.empty()) {
        value = op->getOperand(0);
        continue;
      }
      auto binary = mlir::dyn_cast<graph::BinaryOp>(op);
      if (!binary || !takeAddend(binary)) return false;
      value = binary.getLhs();
    }
    return false;
  }

  void rewrite() {
    builder_.setInsertionPoint(cast_);
    const mlir::Location loc = cast_.getLoc();
    Value weights = builder_.create<graph::DequantizeOp>(
        loc, realType(product_->getOperand(1)), product_->getOperand(1),
        llvm::ArrayRef<float>(1 / rounding_.getScales()[0]), llvm::ArrayRef<int64_t>(0), 0);
    mlir::IRMapping mapping;
    mapping.map(product_->getOperand(0), realOf(product_->getOperand(0)));
    mapping.map(product_->getOperand(1), weights);
    Operation* real = builder_.clone(*product_, mapping);
    real->getResult(0).setType(realType(product_->getResult(0)));
    if (auto conv = mlir::dyn_cast<graph::ConvOp>(real)) conv.setPadValue(0);
    Value result = real->getResult(0);
    if (llvm::any_of(rest_, [](double value) { return value != 0; })) {
      graph::GraphBuilder build(builder_, loc, graph::Folding::kNone);
      const int64_t rank = realType(result).getRank();
      result = builder_.create<graph::BinaryOp>(
          loc, result.getType(), result, constantPerIndex(build, rest_, channelAxis(rank), rank),
          graph::BinaryKind::add);
    }
    if (result.getType() != cast_.getType()) {
      result = builder_.create<graph::ReshapeOp>(loc, cast_.getType(), result);
    }
    cast_.getOutput().replaceAllUsesWith(result);
    cast_.erase();
  }

 private:
  struct Addend {
    mlir::DenseElementsAttr values;
    double sign = 1;
    int64_t rank = 0;  // of what it is added to
  };

  bool isConv() const { return mlir::isa<graph::ConvOp>(product_); }
  int64_t channelAxis(int64_t rank) const { return isConv() ? 1 : rank - 1; }

  /// What the sum has besides a constant is on its left.
  bool takeAddend(graph::BinaryOp binary) {
    const bool adds = binary.getKind() == graph::BinaryKind::add;
    if (!adds && binary.getKind() != graph::BinaryKind::sub) return false;
    const mlir::DenseElementsAttr constant = graph::constantOf(binary.getRhs());
    if (!constant || binary.getLhs().getType() != binary.getType()) return false;
    addends_.push_back({constant, adds ? 1.0 : -1.0, binary.getType().getRank()});
    return true;
  }

  bool matchProduct(Operation* op) {
    product_ = op;
    const mlir::DenseElementsAttr weights = graph::constantOf(op->getOperand(1));
    rounding_ = roundingOf(op->getOperand(0));
    if (!op->getResult(0).hasOneUse() || !weights || !rounding_) return false;
    if (!isConv() && weights.getType().getRank() != 2) return false;
    const int64_t zero_point = signedZeroPoint();
    if (auto conv = mlir::dyn_cast<graph::ConvOp>(op)) {
      const bool has_pads = llvm::any_of(conv.getPads(), [](int64_t pad) { return pad != 0; });
      if (has_pads && static_cast<int64_t>(conv.getPadValue()) != zero_point) return false;
    }
    takeSums(weights, zero_point);
    return llvm::all_of(addends_, [&](const Addend& addend) { return addToRest(addend); });
  }

  int64_t signedZeroPoint() {
    const bool is_unsigned = graph::elementTypeOf(rounding_.getOutput()).isUnsignedInteger(8);
    return rounding_.getZeroPoints()[0] - (is_unsigned ? 128 : 0);
  }

  /// The sum has zero_point * weights in it, which the dequantised product has not.
  void takeSums(mlir::DenseElementsAttr weights, int64_t zero_point) {
    const std::vector<int64_t> values = graph::ConstantTensor(weights).asIntegers();
    const auto shape = weights.getType().getShape();
    const auto channels = static_cast<size_t>(isConv() ? shape[0] : shape[1]);
    rest_.assign(channels, 0);
    for (size_t i = 0; i < values.size(); ++i) {
      const size_t channel = isConv() ? i / (values.size() / channels) : i % channels;
      rest_[channel] += static_cast<double>(zero_point * values[i]);
    }
  }

  /// False if the addend differs along more than the channels.
  bool addToRest(const Addend& addend) {
    const auto shape = addend.values.getType().getShape();
    const int64_t missing = addend.rank - std::ssize(shape), axis = channelAxis(addend.rank);
    for (int64_t d = 0; d < std::ssize(shape); ++d) {
      if (shape[d] != 1 && (d + missing != axis || shape[d] != std::ssize(rest_))) return false;
    }
    const std::vector<int64_t> values = graph::ConstantTensor(addend.values).asIntegers();
    for (size_t c = 0; c < rest_.size(); ++c) {
      rest_[c] += addend.sign * static_cast<double>(values[values.size() == 1 ? 0 : c]);
    }
    return true;
  }

  /// The floats that 8-bit integers stand for; moves of them become moves of floats.
  Value realOf(Value integers) {
    Operation* op = integers.getDefiningOp();
    if (isPlainMove(op)) {
      mlir::IRMapping mapping;
      mapping.map(op->getOperand(0), realOf(op->getOperand(0)));
      Operation* moved = builder_.clone(*op, mapping);
      moved->getResult(0).setType(realType(integers));
      return moved->getResult(0);
    }
    if (const Value source = unsignedSource(integers)) integers = source;
    const bool is_unsigned = graph::elementTypeOf(integers).isUnsignedInteger(8);
    return builder_.create<graph::DequantizeOp>(
        cast_.getLoc(), realType(integers), integers, rounding_.getScales(),
        llvm::ArrayRef<int64_t>(signedZeroPoint() + (is_unsigned ? 128 : 0)), 0);
  }

  graph::CastOp cast_;
  mlir::OpBuilder& builder_;
  Operation* product_ = nullptr;
  graph::QuantizeOp rounding_;
  std::vector<Addend> addends_;  // the last one first
  std::vector<double> rest_;     // what each channel has besides the product
};

/// Whether something behind `value`, before the next product, is rounded to integers.
bool isRoundedFurtherOn(Value value) {
  constexpr size_t kMostOps = 64;
  llvm::SetVector<Operation*> seen;
  seen.insert(value.user_begin(), value.user_end());
  for (size_t i = 0; i < seen.size() && i < kMostOps; ++i) {
    if (mlir::isa<graph::QuantizeOp>(seen[i])) return true;
    if (mlir::isa<graph::ConvOp, graph::MatMulOp>(seen[i])) continue;
    for (const Value result : seen[i]->getResults()) {
      seen.insert(result.user_begin(), result.user_end());
    }
  }
  return false;
}

class GraphStaticProductsPass : public impl::GraphStaticProductsPassBase<GraphStaticProductsPass> {
 public:
  using GraphStaticProductsPassBase::GraphStaticProductsPassBase;

  void runOnOperation() final {
    mlir::OpBuilder builder(&getContext());
    std::vector<graph::CastOp> casts;
    getOperation().walk([&](graph::CastOp cast) { casts.push_back(cast); });
    for (graph::CastOp cast : casts) {
      if (!all && !isRoundedFurtherOn(cast.getOutput())) continue;
      StaticProduct product(cast, builder);
      if (product.match()) product.rewrite();
    }
  }
};

}  // namespace
}  // namespace vta::compiler
