#include "compiler/dialects/graph/graph_builder.h"

#include <fmt/format.h>

#include "compiler/dialects/graph/evaluate.h"
#include "llvm/Support/raw_ostream.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Matchers.h"

namespace vta::graph {
namespace {

using llvm::APFloat;
using llvm::ArrayRef;
using mlir::DenseElementsAttr;
using mlir::RankedTensorType;
using mlir::Type;
using mlir::Value;

/// Above this, folding costs time and memory that the optimisation passes can judge better.
constexpr int64_t kMaxFoldedElems = 1 << 16;
/// Larger tensors are mistakes or attacks: 16 GiB of f32.
constexpr int64_t kMaxElems = int64_t{1} << 32;

ArrayRef<int64_t> ref(ShapeRef values) { return {values.data(), values.size()}; }

Shape copy(ShapeRef shape) { return {shape.begin(), shape.end()}; }

/// NumPy has 64. Passes over dimensions take more than linear time.
constexpr size_t kMostDimensions = 64;

Result<RankedTensorType> checkedType(const Shape& shape, Type element_type) {
  if (shape.size() > kMostDimensions) {
    return unsupported(
        fmt::format("a tensor of {} dimensions has more than {}", shape.size(), kMostDimensions));
  }
  int64_t count = elementCount(shape);
  if (count < 0 || count > kMaxElems) {
    return unsupported(fmt::format("a tensor of shape {} is too large (at most {} elements)",
                                   shapeText(shape), kMaxElems));
  }
  return RankedTensorType::get(shape, element_type);
}

/// Runs the op's verifier; its complaint without the "'graph.x' op " in front.
Status verifyOp(mlir::Operation* op) {
  std::string message;
  mlir::ScopedDiagnosticHandler handler(op->getContext(), [&](mlir::Diagnostic& diagnostic) {
    if (message.empty()) message = diagnostic.str();
    return mlir::success();
  });
  if (mlir::succeeded(op->getName().verifyInvariants(op))) return {};
  std::string prefix = fmt::format("'{}' op ", op->getName().getStringRef().str());
  if (message.starts_with(prefix)) message.erase(0, prefix.size());
  return invalidArgument(message);
}

bool isFoldable(mlir::Operation* op, Folding folding) {
  // Quantised constants stay visible to the quantiser.
  if (folding == Folding::kNone || mlir::isa<DequantizeOp, QuantizeOp>(op)) return false;
  // Small weights too stay as the model has them, so that messages can name their elements.
  const bool is_weight = mlir::isa<mlir::FloatType>(elementTypeOf(op->getResult(0)));
  if (folding == Folding::kSmall && mlir::isa<TransposeOp>(op) && is_weight) return false;
  return folding == Folding::kAll || mlir::isa<ReshapeOp>(op) ||
         tensorType(op->getResult(0)).getNumElements() <= kMaxFoldedElems;
}

}  // namespace

RankedTensorType tensorType(Value value) { return mlir::cast<RankedTensorType>(value.getType()); }
ShapeRef shapeOf(Value value) { return tensorType(value).getShape(); }
Shape optionalShape(Value value) { return value ? copy(shapeOf(value)) : Shape(); }
Type elementTypeOf(Value value) { return tensorType(value).getElementType(); }

bool isConstant(Value value) { return mlir::matchPattern(value, mlir::m_Constant()); }

DenseElementsAttr constantOf(Value value) {
  DenseElementsAttr attribute;
  if (mlir::matchPattern(value, mlir::m_Constant(&attribute))) return attribute;
  // Constants of unsigned types: see GraphBuilder::constant.
  auto cast = value.getDefiningOp<CastOp>();
  return cast ? evaluate(cast) : DenseElementsAttr();
}

template <typename Op, typename... Args>
Result<Value> GraphBuilder::create(Result<Shape> shape, Type element_type, Args&&... args) {
  if (!shape.ok()) return shape.status();
  VTA_ASSIGN_OR_RETURN(RankedTensorType type, checkedType(*shape, element_type));
  mlir::OperationState state(location_, Op::getOperationName());
  Op::build(builder_, state, type, std::forward<Args>(args)...);
  return finish(mlir::Operation::create(state));
}

/// `op` is not inserted yet: a rewriter must not hear of ops that vanish again.
Result<Value> GraphBuilder::finish(mlir::Operation* op) {
  if (Status status = verifyOp(op); !status.ok()) {
    op->destroy();
    return status;
  }
  DenseElementsAttr folded;
  if (isFoldable(op, folding_)) {
    llvm::SmallVector<DenseElementsAttr> operands;
    for (Value operand : op->getOperands()) operands.push_back(constantOf(operand));
    if (!llvm::is_contained(operands, DenseElementsAttr())) folded = evaluate(op, operands);
  }
  if (!folded) return builder_.insert(op)->getResult(0);
  op->destroy();
  return constant(folded);
}

Value GraphBuilder::constant(DenseElementsAttr value) {
  Type element_type = value.getElementType();
  if (!element_type.isUnsignedInteger()) {
    return builder_.create<mlir::arith::ConstantOp>(location_, value);
  }
  // arith.constant takes signless integers only: the same bits, and a cast that keeps them.
  Type signless = builder_.getIntegerType(element_type.getIntOrFloatBitWidth());
  Value bits = builder_.create<mlir::arith::ConstantOp>(location_, value.bitcast(signless));
  return builder_.create<CastOp>(location_, value.getType(), bits);
}

Value GraphBuilder::constant(ArrayRef<int64_t> values) {
  auto type = RankedTensorType::get({static_cast<int64_t>(values.size())}, builder_.getI64Type());
  return constant(DenseElementsAttr::get(type, values));
}

Value GraphBuilder::scalar(double value, Type type) {
  bool is_float = mlir::isa<mlir::FloatType>(type);
  mlir::Attribute element;
  if (is_float) element = builder_.getFloatAttr(type, value);
  if (!is_float) element = builder_.getIntegerAttr(type, static_cast<int64_t>(value));
  return constant(DenseElementsAttr::get(RankedTensorType::get({}, type), element));
}

Result<Value> GraphBuilder::conv(Value input, Value weight, Value bias, const Window& window,
                                 int64_t group) {
  bool is_integer = elementTypeOf(input).isInteger(8);
  return create<ConvOp>(
      convShape(shapeOf(input), shapeOf(weight), optionalShape(bias), window, group),
      is_integer ? builder_.getI32Type() : elementTypeOf(input), input, weight, bias,
      ref(window.strides), ref(window.pads), ref(window.dilations), group);
}

Result<Value> GraphBuilder::convTranspose(Value input, Value weight, Value bias,
                                          const Window& window, ShapeRef output_padding,
                                          int64_t group) {
  return create<ConvTransposeOp>(
      convTransposeShape(shapeOf(input), shapeOf(weight), optionalShape(bias), window,
                         output_padding, group),
      elementTypeOf(input), input, weight, bias, ref(window.strides), ref(window.pads),
      ref(window.dilations), ref(output_padding), group);
}

Result<Value> GraphBuilder::matmul(Value lhs, Value rhs) {
  bool is_integer = elementTypeOf(lhs).isInteger(8);
  return create<MatMulOp>(matmulShape(shapeOf(lhs), shapeOf(rhs)),
                          is_integer ? builder_.getI32Type() : elementTypeOf(lhs), lhs, rhs);
}

Result<Value> GraphBuilder::maxPool(Value input, const Window& window) {
  return create<MaxPoolOp>(poolShape(shapeOf(input), window), elementTypeOf(input), input,
                           ref(window.kernel), ref(window.strides), ref(window.pads),
                           ref(window.dilations));
}

Result<Value> GraphBuilder::avgPool(Value input, const Window& window, bool count_include_pad,
                                    ShapeRef ceil_extra) {
  return create<AvgPoolOp>(poolShape(shapeOf(input), window), elementTypeOf(input), input,
                           ref(window.kernel), ref(window.strides), ref(window.pads),
                           count_include_pad, ref(ceil_extra));
}

Result<Value> GraphBuilder::batchNorm(Value input, ArrayRef<Value> parameters, double epsilon) {
  return create<BatchNormOp>(copy(shapeOf(input)), elementTypeOf(input), input, parameters[0],
                             parameters[1], parameters[2], parameters[3], APFloat(epsilon));
}

Result<Value> GraphBuilder::lrn(Value input, int64_t size, double alpha, double beta, double bias) {
  return create<LrnOp>(copy(shapeOf(input)), elementTypeOf(input), input, size, APFloat(alpha),
                       APFloat(beta), APFloat(bias));
}

Result<Value> GraphBuilder::softmax(Value input, int64_t axis, bool log) {
  return create<SoftmaxOp>(copy(shapeOf(input)), elementTypeOf(input), input, axis, log);
}

Result<Value> GraphBuilder::unary(UnaryKind kind, Value input, double alpha, double beta) {
  bool is_test = kind == UnaryKind::is_nan || kind == UnaryKind::is_inf;
  return create<UnaryOp>(copy(shapeOf(input)),
                         is_test ? builder_.getI1Type() : elementTypeOf(input), input, kind,
                         APFloat(alpha), APFloat(beta));
}

Result<Value> GraphBuilder::binary(BinaryKind kind, Value lhs, Value rhs) {
  bool is_comparison = kind >= BinaryKind::equal && kind <= BinaryKind::greater_equal;
  return create<BinaryOp>(broadcastShape(shapeOf(lhs), shapeOf(rhs)),
                          is_comparison ? builder_.getI1Type() : elementTypeOf(lhs), lhs, rhs,
                          kind);
}

Result<Value> GraphBuilder::where(Value condition, Value lhs, Value rhs) {
  VTA_ASSIGN_OR_RETURN(Shape shape, broadcastShape(shapeOf(lhs), shapeOf(rhs)));
  return create<WhereOp>(broadcastShape(shapeOf(condition), shape), elementTypeOf(lhs), condition,
                         lhs, rhs);
}

Result<Value> GraphBuilder::clip(Value input, double min, double max) {
  return create<ClipOp>(copy(shapeOf(input)), elementTypeOf(input), input, APFloat(min),
                        APFloat(max));
}

Result<Value> GraphBuilder::cast(Value input, Type element_type) {
  if (elementTypeOf(input) == element_type) return input;
  return create<CastOp>(copy(shapeOf(input)), element_type, input);
}

Result<Value> GraphBuilder::reshape(Value input, ShapeRef shape) {
  if (std::ranges::equal(shapeOf(input), shape)) return input;
  return create<ReshapeOp>(copy(shape), elementTypeOf(input), input);
}

Result<Value> GraphBuilder::transpose(Value input, ShapeRef permutation) {
  return create<TransposeOp>(transposeShape(shapeOf(input), permutation), elementTypeOf(input),
                             input, ref(permutation));
}

Result<Value> GraphBuilder::interleave(Value input, ShapeRef block, int64_t groups, bool repeat) {
  if (std::ranges::all_of(block, [](int64_t extent) { return extent == 1; })) return input;
  return create<InterleaveOp>(interleaveShape(shapeOf(input), block, groups, repeat),
                              elementTypeOf(input), input, ref(block), groups, repeat);
}

Result<Value> GraphBuilder::expand(Value input, ShapeRef shape) {
  if (std::ranges::equal(shapeOf(input), shape)) return input;
  return create<ExpandOp>(copy(shape), elementTypeOf(input), input);
}

Result<Value> GraphBuilder::concat(ArrayRef<Value> inputs, int64_t axis) {
  std::vector<Shape> shapes;
  for (Value input : inputs) shapes.push_back(copy(shapeOf(input)));
  if (inputs.empty()) return invalidArgument("expects at least one input");
  return create<ConcatOp>(concatShape(shapes, axis), elementTypeOf(inputs[0]), inputs, axis);
}

Result<Value> GraphBuilder::slice(Value input, ShapeRef starts, ShapeRef steps, ShapeRef extents) {
  return create<SliceOp>(copy(extents), elementTypeOf(input), input, ref(starts), ref(steps));
}

Result<Value> GraphBuilder::pad(Value input, ShapeRef low, ShapeRef high, PadMode mode,
                                double value) {
  return create<PadOp>(padShape(shapeOf(input), low, high), elementTypeOf(input), input, ref(low),
                       ref(high), mode, APFloat(value));
}

Result<Value> GraphBuilder::gather(Value input, Value indices, int64_t axis) {
  return create<GatherOp>(gatherShape(shapeOf(input), shapeOf(indices), axis), elementTypeOf(input),
                          input, indices, axis);
}

Result<Value> GraphBuilder::checkIndices(Value input, ShapeRef extents, llvm::StringRef node) {
  return create<CheckIndicesOp>(copy(shapeOf(input)), elementTypeOf(input), input, ref(extents),
                                node);
}

Result<Value> GraphBuilder::scatter(Value input, Value indices, Value updates,
                                    std::optional<BinaryKind> combine) {
  auto kind = combine ? BinaryKindAttr::get(builder_.getContext(), *combine) : BinaryKindAttr();
  return create<ScatterOp>(copy(shapeOf(input)), elementTypeOf(input), input, indices, updates,
                           kind);
}

Result<Value> GraphBuilder::compact(Value mask) {
  return create<CompactOp>(copy(shapeOf(mask)), builder_.getI64Type(), mask);
}

Result<Value> GraphBuilder::top(Value input, int64_t count, bool largest) {
  Shape shape = copy(shapeOf(input));
  if (shape.size() == 2) shape[1] = count;
  return create<TopOp>(std::move(shape), builder_.getI64Type(), input, largest);
}

Result<Value> GraphBuilder::suppress(Value boxes, Value scores, Value limit, Value iou_threshold,
                                     Value score_threshold, Value count, int64_t most,
                                     bool center) {
  Shape shape = copy(shapeOf(scores));
  if (shape.size() == 3) shape[2] = most;
  return create<SuppressOp>(std::move(shape), builder_.getI64Type(), boxes, scores, limit,
                            iou_threshold, score_threshold, count, center);
}

Result<Value> GraphBuilder::reduce(ReduceKind kind, Value input, ShapeRef axes, bool keep_dims) {
  return create<ReduceOp>(reduceShape(shapeOf(input), axes, keep_dims), elementTypeOf(input), input,
                          ref(axes), kind);
}

Result<Value> GraphBuilder::quantize(Value input, ArrayRef<float> scales, ShapeRef zero_points,
                                     int64_t axis, Type element_type) {
  return create<QuantizeOp>(copy(shapeOf(input)), element_type, input, scales, ref(zero_points),
                            axis);
}

Result<Value> GraphBuilder::dequantize(Value input, ArrayRef<float> scales, ShapeRef zero_points,
                                       int64_t axis) {
  return create<DequantizeOp>(copy(shapeOf(input)), builder_.getF32Type(), input, scales,
                              ref(zero_points), axis);
}

}  // namespace vta::graph
