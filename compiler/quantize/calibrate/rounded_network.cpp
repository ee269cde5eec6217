#include "compiler/quantize/calibrate/rounded_network.h"

#include <fmt/format.h>

#include "compiler/dialects/graph/graph.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

namespace vta::compiler {
namespace {

using graph::BinaryKind;
using mlir::RankedTensorType;
using mlir::Value;

/// Adds the rounding of one activation behind its definition. `scale` holds scale, zero point and
/// switch.
class RoundingBuilder {
 public:
  RoundingBuilder(Value value, Value scale, const std::vector<float>& factors)
      : builder_(value.getContext()), loc_(value.getLoc()), scale_(scale), factors_(factors) {
    builder_.setInsertionPointAfterValue(value);
    if (mlir::isa<mlir::BlockArgument>(value)) {
      builder_.setInsertionPointToStart(value.getParentBlock());
    }
  }

  /// value + switch * (rounded - value).
  Value build(Value value) {
    Value steps = binary(BinaryKind::div, equalized(value, false), part(0));
    steps = builder_.create<graph::UnaryOp>(loc_, steps.getType(), steps, graph::UnaryKind::round,
                                            llvm::APFloat(0.0), llvm::APFloat(0.0));
    steps = binary(BinaryKind::add, steps, part(1));
    steps = builder_.create<graph::ClipOp>(loc_, steps.getType(), steps, llvm::APFloat(-128.0),
                                           llvm::APFloat(127.0));
    Value rounded = binary(BinaryKind::mul, binary(BinaryKind::sub, steps, part(1)), part(0));
    Value change = binary(BinaryKind::sub, equalized(rounded, true), value);
    return binary(BinaryKind::add, value, binary(BinaryKind::mul, change, part(2)));
  }

 private:
  Value binary(BinaryKind kind, Value lhs, Value rhs) {
    return builder_.create<graph::BinaryOp>(loc_, lhs.getType(), lhs, rhs, kind);
  }

  Value part(int64_t index) {
    const auto type = RankedTensorType::get({1}, builder_.getF32Type());
    return builder_.create<graph::SliceOp>(loc_, type, scale_, llvm::ArrayRef<int64_t>{index},
                                           llvm::ArrayRef<int64_t>{1});
  }

  /// Channels are enlarged before they are rounded, where equalisation says so.
  Value equalized(Value value, bool back) {
    if (factors_.empty()) return value;
    const auto type = mlir::cast<RankedTensorType>(value.getType());
    llvm::SmallVector<int64_t> shape(static_cast<size_t>(type.getRank()), 1);
    shape[1] = static_cast<int64_t>(factors_.size());
    Value factors = builder_.create<mlir::arith::ConstantOp>(
        loc_, mlir::DenseElementsAttr::get(RankedTensorType::get(shape, builder_.getF32Type()),
                                           llvm::ArrayRef<float>(factors_)));
    return binary(back ? BinaryKind::div : BinaryKind::mul, value, factors);
  }

  mlir::OpBuilder builder_;
  mlir::Location loc_;
  Value scale_;
  const std::vector<float>& factors_;
};

}  // namespace

std::string scaleName(size_t activation) { return fmt::format("vta.scale.{}", activation); }

mlir::OwningOpRef<mlir::ModuleOp> withRounding(mlir::ModuleOp module, const QuantPlan& plan,
                                               const CalibrationData& data,
                                               mlir::IRMapping& mapping) {
  mlir::OwningOpRef<mlir::ModuleOp> copy(mlir::cast<mlir::ModuleOp>(module->clone(mapping)));
  auto main = copy->lookupSymbol<mlir::func::FuncOp>("main");
  llvm::DenseSet<mlir::Operation*> planned;
  llvm::DenseSet<Value> computed;
  for (const QuantNode& node : plan.nodes) {
    for (mlir::Operation* op : node.ops) planned.insert(mapping.lookup(op));
    computed.insert(node.output);
  }
  mlir::Builder builder(copy->getContext());
  for (size_t i = 0; i < plan.activations.size(); ++i) {
    const unsigned position = main.getNumArguments();
    main.insertArgument(position, RankedTensorType::get({3}, builder.getF32Type()),
                        builder.getDictionaryAttr(builder.getNamedAttr(
                            "graph.name", builder.getStringAttr(scaleName(i)))),
                        main.getLoc());
    Value value = mapping.lookup(plan.activations[i]);
    llvm::SmallVector<mlir::OpOperand*> uses;
    for (mlir::OpOperand& use : value.getUses()) {
      // Float users of what comes from outside read it as it is.
      if (computed.contains(plan.activations[i]) || planned.contains(use.getOwner())) {
        uses.push_back(&use);
      }
    }
    const std::vector<float> none;
    const std::vector<float>& factors = data.factors.empty() ? none : data.factors[i];
    Value rounded = RoundingBuilder(value, main.getArgument(position), factors).build(value);
    for (mlir::OpOperand* use : uses) use->set(rounded);
  }
  return copy;
}

void setRounding(TensorMap& sample, size_t activation, const ActivationScale& scale, bool on) {
  const std::span<float> values = sample[scaleName(activation)].as<float>();
  values[0] = scale.params.scale > 0 ? static_cast<float>(scale.params.scale) : 1.0F;
  values[1] = static_cast<float>(scale.params.zero_point);
  values[2] = on && scale.params.scale > 0 ? 1.0F : 0.0F;
}

}  // namespace vta::compiler
