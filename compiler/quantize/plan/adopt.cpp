#include "compiler/quantize/plan/adopt.h"

#include <cmath>
#include <limits>
#include <optional>

#include "compiler/dialects/graph/constant_tensor.h"
#include "compiler/dialects/graph/evaluate.h"
#include "compiler/dialects/graph/graph_builder.h"
#include "compiler/quantize/plan/plan.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace vta::compiler {
namespace {

using graph::DequantizeOp;
using graph::QuantizeOp;
using mlir::Operation;
using mlir::RankedTensorType;
using mlir::Value;

RankedTensorType withElement(Value like, mlir::Type element) {
  return RankedTensorType::get(mlir::cast<RankedTensorType>(like.getType()).getShape(), element);
}

/// int8 parameters of a quantize or dequantize op between f32 and `integers`; none if it is not
/// per tensor or not 8-bit.
template <typename Op>
std::optional<QuantParams> paramsOf(Op op, Value integers) {
  const mlir::Type element = graph::elementTypeOf(integers);
  const bool is_unsigned = element.isUnsignedInteger(8);
  if (!is_unsigned && !element.isSignlessInteger(8)) return std::nullopt;
  if (op.getScales().size() != 1 || !(op.getScales()[0] > 0)) return std::nullopt;
  return QuantParams{op.getScales()[0], op.getZeroPoints()[0] - (is_unsigned ? 128 : 0)};
}

bool has16Bits(Value integers) {
  return graph::elementTypeOf(integers).getIntOrFloatBitWidth() == 16;
}

/// A conversion from or to 16-bit integers of something that the model computes.
bool is16BitRounding(Operation& op) {
  if (auto quantize = mlir::dyn_cast<QuantizeOp>(op)) {
    return has16Bits(quantize.getOutput()) && !graph::constantOf(quantize.getInput());
  }
  auto dequantize = mlir::dyn_cast<DequantizeOp>(op);
  return dequantize && has16Bits(dequantize.getInput()) &&
         !graph::constantOf(dequantize.getInput());
}

std::optional<QuantParams> paramsOf(QuantizeOp op) { return paramsOf(op, op.getOutput()); }
std::optional<QuantParams> paramsOf(DequantizeOp op) { return paramsOf(op, op.getInput()); }

/// A clip that changes nothing: a place for a value's second set of parameters.
Value identity(Value value, Operation* before) {
  mlir::OpBuilder builder(before);
  const double infinity = std::numeric_limits<double>::infinity();
  return builder.create<graph::ClipOp>(before->getLoc(), value.getType(), value,
                                       llvm::APFloat(-infinity), llvm::APFloat(infinity));
}

/// Rewrites one function; one use.
class Adopter {
 public:
  explicit Adopter(mlir::func::FuncOp function) : block_(function.getBody().front()) {}

  GivenQuantization run(bool drops_16_bits) {
    if (drops_16_bits) drop16Bits();
    for (Operation& op : block_) recordWeightScales(op);
    foldConstants();
    for (Operation& op : llvm::make_early_inc_range(block_)) liftMove(op);
    for (QuantizeOp quantize : llvm::to_vector(block_.getOps<QuantizeOp>())) stripPair(quantize);
    for (Operation& op : block_) adoptUnpaired(op);
    for (Operation& op : llvm::reverse(block_)) adoptBeforeMove(op);
    for (Operation& op : llvm::make_early_inc_range(block_)) matchMove(op);
    for (Operation& op : llvm::make_early_inc_range(llvm::reverse(block_))) {
      if (!mlir::isOpTriviallyDead(&op)) continue;
      for (Value result : op.getResults()) given_.activations.erase(result);
      given_.weight_scales.erase(&op);
      op.erase();
    }
    given_.has_16_bits = llvm::any_of(block_, is16BitRounding);
    return std::move(given_);
  }

 private:
  //===------------------------------ constants ------------------------------===//

  void recordWeightScales(Operation& op) {
    const bool conv = mlir::isa<graph::ConvOp>(op);
    if (!conv && !mlir::isa<graph::MatMulOp>(op)) return;
    Value weight = op.getOperand(1);
    const auto shape = graph::shapeOf(weight);
    int64_t axis = conv ? 0 : std::ssize(shape) - 1;
    const auto channels = static_cast<size_t>(shape[axis]);
    while (auto transpose = weight.getDefiningOp<graph::TransposeOp>()) {
      axis = transpose.getPermutation()[axis];
      weight = transpose.getInput();
    }
    // One-dimensional convolutions have their weights reshaped.
    if (auto reshape = weight.getDefiningOp<graph::ReshapeOp>();
        reshape && axis == 0 && graph::shapeOf(reshape.getInput())[0] == shape[0]) {
      weight = reshape.getInput();
    }
    auto dequantize = weight.getDefiningOp<DequantizeOp>();
    if (!dequantize || !graph::constantOf(dequantize.getInput())) return;
    const llvm::ArrayRef<float> scales = dequantize.getScales();
    const bool per_channel =
        static_cast<int64_t>(dequantize.getAxis()) == axis && scales.size() == channels;
    if (scales.size() != 1 && !per_channel) return;
    std::vector<double> each(scales.begin(), scales.end());
    each.resize(channels, each.front());
    given_.weight_scales[&op] = std::move(each);
  }

  static mlir::DenseElementsAttr dequantized(DequantizeOp op) {
    mlir::DenseElementsAttr constant = graph::constantOf(op.getInput());
    if (!constant) return {};
    std::vector<double> values = graph::ConstantTensor(constant).asDoubles();
    const auto shape = graph::shapeOf(op.getInput());
    int64_t inner = static_cast<int64_t>(values.size()), count = 1;
    if (op.getScales().size() > 1) {
      const auto axis = static_cast<size_t>(op.getAxis());
      count = shape[axis];
      inner = 1;
      for (int64_t size : shape.subspan(axis + 1)) inner *= size;
    }
    for (int64_t i = 0; i < static_cast<int64_t>(values.size()); ++i) {
      const int64_t channel = i / inner % count;
      values[i] = static_cast<double>(op.getScales()[channel]) *
                  (values[i] - static_cast<double>(op.getZeroPoints()[channel]));
    }
    graph::ConstantTensor result(mlir::cast<RankedTensorType>(op.getType()));
    result.setDoubles(values);
    return result.toAttribute();
  }

  /// Dequantises constants, and moves what is moved: weights become constants for the planner.
  void foldConstants() {
    for (Operation& op : llvm::make_early_inc_range(block_)) {
      mlir::DenseElementsAttr value;
      if (auto dequantize = mlir::dyn_cast<DequantizeOp>(op)) {
        value = dequantized(dequantize);
      } else if (mlir::isa<graph::TransposeOp, graph::ReshapeOp>(op)) {
        value = graph::evaluate(&op);
      }
      if (!value || !value.getElementType().isF32()) continue;
      mlir::OpBuilder builder(&op);
      op.getResult(0).replaceAllUsesWith(
          builder.create<mlir::arith::ConstantOp>(op.getLoc(), value));
      op.erase();
    }
  }

  //===------------------------------ activations ------------------------------===//

  /// Readers of what is rounded to 16 bits read the float.
  void drop16Bits() {
    for (QuantizeOp quantize : llvm::to_vector(block_.getOps<QuantizeOp>())) {
      if (!is16BitRounding(*quantize.getOperation())) continue;
      for (Operation* user : llvm::make_early_inc_range(quantize.getOutput().getUsers())) {
        auto dequantize = mlir::dyn_cast<DequantizeOp>(user);
        if (!dequantize || dequantize.getScales() != quantize.getScales() ||
            dequantize.getZeroPoints() != quantize.getZeroPoints()) {
          continue;
        }
        dequantize.getOutput().replaceAllUsesWith(quantize.getInput());
        dequantize.erase();
      }
      if (quantize->use_empty()) quantize.erase();
    }
  }

  /// quantize -> move becomes dequantized move -> quantize with the same parameters.
  void liftMove(Operation& op) {
    if (op.getNumResults() != 1 || op.getNumOperands() == 0) return;
    const bool is_constant_pad = mlir::isa<graph::PadOp>(op) &&
                                 mlir::cast<graph::PadOp>(op).getMode() == graph::PadMode::constant;
    if (!mlir::isa<graph::MaxPoolOp, graph::ReshapeOp, graph::TransposeOp, graph::SliceOp,
                   graph::ExpandOp, graph::InterleaveOp, graph::ConcatOp>(op) &&
        (!mlir::isa<graph::PadOp>(op) || is_constant_pad)) {
      return;
    }
    auto first = op.getOperand(0).getDefiningOp<QuantizeOp>();
    if (!first || !paramsOf(first)) return;
    mlir::OpBuilder builder(&op);
    mlir::IRMapping mapping;
    for (Value operand : op.getOperands()) {
      auto quantize = operand.getDefiningOp<QuantizeOp>();
      if (!quantize || quantize.getType().getElementType() != first.getType().getElementType() ||
          quantize.getScales() != first.getScales() ||
          quantize.getZeroPoints() != first.getZeroPoints()) {
        return;
      }
      mapping.map(operand,
                  builder
                      .create<DequantizeOp>(op.getLoc(), withElement(operand, builder.getF32Type()),
                                            operand, first.getScales(), first.getZeroPoints(), 0)
                      .getOutput());
    }
    Operation* moved = builder.clone(op, mapping);
    Value result = moved->getResult(0);
    result.setType(withElement(result, builder.getF32Type()));
    auto again = builder.create<QuantizeOp>(op.getLoc(), op.getResult(0).getType(), result,
                                            first.getScales(), first.getZeroPoints(), 0);
    op.getResult(0).replaceAllUsesWith(again);
    op.erase();
  }

  void stripPair(QuantizeOp quantize) {
    const std::optional<QuantParams> params = paramsOf(quantize);
    Value value = quantize.getInput();
    if (!params || graph::constantOf(value)) return;
    const QuantParams* known = given_.find(value);
    // A value that something reads unrounded, or rounded in two ways, is not rounded itself.
    const bool alone = llvm::all_of(value.getUsers(), [&](Operation* user) {
      auto other = mlir::dyn_cast<QuantizeOp>(user);
      return other && paramsOf(other) == params;
    });
    if (known ? !(*known == *params) : !alone) {
      value = identity(value, quantize);
      quantize.getInputMutable().assign(value);
    }
    given_.activations[value] = *params;
    for (Operation* user : llvm::make_early_inc_range(quantize.getOutput().getUsers())) {
      auto dequantize = mlir::dyn_cast<DequantizeOp>(user);
      if (!dequantize || paramsOf(dequantize) != params) continue;
      dequantize.getOutput().replaceAllUsesWith(value);
      given_.activations.erase(dequantize.getOutput());
      dequantize.erase();
    }
  }

  /// Integers that come from outside, or from ops on integers.
  void adoptUnpaired(Operation& op) {
    auto dequantize = mlir::dyn_cast<DequantizeOp>(op);
    if (!dequantize) return;
    if (const auto params = paramsOf(dequantize))
      given_.activations[dequantize.getOutput()] = *params;
  }

  /// What is rounded behind a move may as well be rounded in front of it, if nothing else reads it:
  /// rounding keeps the order of numbers, so that a maximum is no exception.
  void adoptBeforeMove(Operation& op) {
    if (!isIntegerMove(&op) || !given_.find(op.getResult(0))) return;
    const QuantParams params = *given_.find(op.getResult(0));
    for (Value operand : op.getOperands()) {
      const bool is_open = !given_.find(operand) && operand.hasOneUse();
      if (is_open && !graph::constantOf(operand)) given_.activations[operand] = params;
    }
  }

  /// A move has one set of parameters: that of its result if it has one, else that of its operands.
  void matchMove(Operation& op) {
    if (!isIntegerMove(&op) && !isRelu(op)) return;
    Value result = op.getResult(0);
    const QuantParams* first = given_.find(op.getOperand(0));
    if (!given_.find(result)) {
      if (first && llvm::all_of(op.getOperands(), [&](Value operand) {
            const QuantParams* other = given_.find(operand);
            return other && *other == *first;
          })) {
        given_.activations[result] = QuantParams(*first);
      }
      return;
    }
    if (isRelu(op)) return;
    const QuantParams wanted = *given_.find(result);
    for (mlir::OpOperand& operand : op.getOpOperands()) {
      const QuantParams* params = given_.find(operand.get());
      if (!params || *params == wanted) continue;
      Value changed = identity(operand.get(), &op);
      given_.activations[changed] = wanted;
      operand.set(changed);
    }
  }

  static bool isRelu(Operation& op) {
    auto unary = mlir::dyn_cast<graph::UnaryOp>(op);
    return unary && unary.getKind() == graph::UnaryKind::relu;
  }

  mlir::Block& block_;
  GivenQuantization given_;
};

}  // namespace

bool operator==(const QuantParams& a, const QuantParams& b) {
  return a.scale == b.scale && a.zero_point == b.zero_point;
}

const QuantParams* GivenQuantization::find(Value value) const {
  const auto found = activations.find(value);
  return found == activations.end() ? nullptr : &found->second;
}

GivenQuantization adoptQuantization(mlir::func::FuncOp function, bool drops_16_bits) {
  return Adopter(function).run(drops_16_bits);
}

bool isRoundedTo16Bits(Value value) {
  Operation* producer = value.getDefiningOp();
  const auto rounds = [](Operation* user) {
    return mlir::isa<QuantizeOp>(user) && is16BitRounding(*user);
  };
  return (producer && is16BitRounding(*producer)) || llvm::any_of(value.getUsers(), rounds);
}

void roundGivenValues(mlir::func::FuncOp function, const GivenQuantization& given,
                      const QuantPlan& plan) {
  llvm::DenseSet<Operation*> planned;
  llvm::DenseSet<Value> computed;
  for (const QuantNode& node : plan.nodes) {
    planned.insert(node.ops.begin(), node.ops.end());
    computed.insert(node.output);
  }
  mlir::Block& block = function.getBody().front();
  llvm::SmallVector<Value> values(block.getArguments());
  for (Operation& op : block) values.append(op.result_begin(), op.result_end());
  for (Value value : values) {
    const QuantParams* params = given.find(value);
    // What comes from integers is rounded already.
    if (!params || computed.contains(value) || value.getDefiningOp<DequantizeOp>()) continue;
    const auto is_float_use = [&](mlir::OpOperand& use) {
      return !mlir::isa<QuantizeOp>(use.getOwner()) && !planned.contains(use.getOwner());
    };
    if (llvm::none_of(value.getUses(), is_float_use)) continue;
    mlir::OpBuilder builder(value.getContext());
    builder.setInsertionPointAfterValue(value);
    const auto scale = static_cast<float>(params->scale);
    const int64_t zero_point = params->zero_point;
    Value integers = builder.create<QuantizeOp>(
        value.getLoc(), withElement(value, builder.getI8Type()), value, scale, zero_point, 0);
    Value rounded = builder.create<DequantizeOp>(value.getLoc(), value.getType(), integers, scale,
                                                 zero_point, 0);
    value.replaceUsesWithIf(rounded, is_float_use);
  }
}

bool isIdentity(Operation& op) {
  auto clip = mlir::dyn_cast<graph::ClipOp>(op);
  return clip && clip.getMin().isInfinity() && clip.getMin().isNegative() &&
         clip.getMax().isInfinity() && !clip.getMax().isNegative();
}

void eraseIdentities(mlir::func::FuncOp function) {
  for (Operation& op : llvm::make_early_inc_range(function.getBody().front())) {
    if (!isIdentity(op)) continue;
    op.getResult(0).replaceAllUsesWith(op.getOperand(0));
    op.erase();
  }
}

bool isQuantized(mlir::func::FuncOp function) {
  return llvm::any_of(function.getBody().front(), [](Operation& op) {
    if (is16BitRounding(op)) return true;
    if (auto quantize = mlir::dyn_cast<QuantizeOp>(op)) return paramsOf(quantize).has_value();
    auto dequantize = mlir::dyn_cast<DequantizeOp>(op);
    return dequantize && !graph::constantOf(dequantize.getInput()) &&
           paramsOf(dequantize).has_value();
  });
}

}  // namespace vta::compiler
