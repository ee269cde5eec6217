#include "compiler/dialects/graph/evaluate.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "compiler/dialects/graph/constant_tensor.h"
#include "compiler/dialects/graph/evaluate_elementwise.h"
#include "compiler/dialects/graph/graph.h"
#include "llvm/ADT/TypeSwitch.h"
#include "mlir/IR/Matchers.h"

namespace vta::graph {
namespace {

using mlir::RankedTensorType;
using Tensors = llvm::ArrayRef<ConstantTensor>;
using Evaluated = std::optional<ConstantTensor>;

RankedTensorType resultType(mlir::Operation* op) {
  return mlir::cast<RankedTensorType>(op->getResult(0).getType());
}

/// The result of `op` read through a view of its only tensor.
ConstantTensor readThrough(mlir::Operation* op, const ConstantTensor& source,
                           const StridedView& view) {
  ConstantTensor result(resultType(op));
  copyStrided(source, view, result, rowMajor(result.shape()), result.shape());
  return result;
}

Evaluated evaluateOp(UnaryOp op, Tensors in) {
  ConstantTensor result(resultType(op));
  if (in[0].isFloat()) {
    if (op.getKind() == UnaryKind::bitwise_not) return std::nullopt;
    std::vector<double> values = in[0].asDoubles();
    double alpha = op.getAlpha().convertToDouble(), beta = op.getBeta().convertToDouble();
    for (double& x : values) x = evaluateUnary(op.getKind(), x, alpha, beta);
    result.setDoubles(values);
    return result;
  }
  std::vector<int64_t> values = in[0].asIntegers();
  const IntegerFormat format = integerFormat(in[0].type().getElementType());
  for (int64_t& x : values) {
    std::optional<int64_t> y = evaluateUnary(op.getKind(), x, format);
    if (!y) return std::nullopt;
    x = *y;
  }
  result.setIntegers(values);
  return result;
}

/// `T` is double or int64_t, of which `format` says how it is read.
template <typename T, typename... Format>
bool evaluateBinaryInto(BinaryKind kind, std::vector<T> lhs, const std::vector<T>& rhs,
                        ConstantTensor& result, Format... format) {
  if (isComparison(kind)) {
    std::vector<int64_t> truth(lhs.size());
    for (size_t i = 0; i < lhs.size(); ++i) {
      truth[i] = evaluateComparison(kind, lhs[i], rhs[i], format...);
    }
    result.setIntegers(truth);
    return true;
  }
  for (size_t i = 0; i < lhs.size(); ++i) {
    std::optional<T> y = evaluateBinary(kind, lhs[i], rhs[i], format...);
    if (!y) return false;
    lhs[i] = *y;
  }
  if constexpr (std::is_same_v<T, double>) {
    result.setDoubles(lhs);
  } else {
    result.setIntegers(lhs);
  }
  return true;
}

Evaluated evaluateOp(BinaryOp op, Tensors in) {
  ConstantTensor result(resultType(op));
  ConstantTensor lhs = broadcastTo(in[0], result.type());
  ConstantTensor rhs = broadcastTo(in[1], result.type());
  bool done = in[0].isFloat()
                  ? evaluateBinaryInto(op.getKind(), lhs.asDoubles(), rhs.asDoubles(), result)
                  : evaluateBinaryInto(op.getKind(), lhs.asIntegers(), rhs.asIntegers(), result,
                                       integerFormat(in[0].type().getElementType()));
  if (!done) return std::nullopt;
  return result;
}

Evaluated evaluateOp(WhereOp op, Tensors in) {
  ConstantTensor lhs = broadcastTo(in[1], resultType(op));
  ConstantTensor rhs = broadcastTo(in[2], resultType(op));
  std::vector<int64_t> condition = broadcastTo(in[0], resultType(op)).asIntegers();
  size_t bytes = lhs.elementBytes();
  for (size_t i = 0; i < condition.size(); ++i) {
    if (!condition[i]) std::memcpy(lhs.data() + i * bytes, rhs.data() + i * bytes, bytes);
  }
  return lhs;
}

Evaluated evaluateOp(ClipOp op, Tensors in) {
  if (!in[0].isFloat()) return std::nullopt;
  ConstantTensor result(resultType(op));
  std::vector<double> values = in[0].asDoubles();
  double low = op.getMin().convertToDouble(), high = op.getMax().convertToDouble();
  for (double& x : values) x = x < low ? low : x > high ? high : x;
  result.setDoubles(values);
  return result;
}

Evaluated evaluateOp(CastOp op, Tensors in) {
  ConstantTensor result(resultType(op));
  const mlir::Type type = result.type().getElementType();
  if (result.isFloat() && (type.isF64() || in[0].isFloat())) {
    result.setDoubles(in[0].asDoubles());
    return result;
  }
  if (result.isFloat()) {
    // Integers become shorter floats by way of float.
    const std::vector<float> floats = in[0].asFloats();
    result.setDoubles(std::vector<double>(floats.begin(), floats.end()));
    return result;
  }
  std::vector<int64_t> integers;
  const bool to_bool = type.isInteger(1);
  if (in[0].isFloat()) {
    for (const double x : in[0].asDoubles()) {
      integers.push_back(to_bool ? x != 0 : truncated(x, integerFormat(type)));
    }
  } else {
    integers = in[0].asIntegers();
    // Every number but 0 is true, not every odd one.
    for (int64_t& x : integers) x = to_bool ? x != 0 : x;
  }
  result.setIntegers(integers);
  return result;
}

Evaluated evaluateOp(TransposeOp op, Tensors in) {
  StridedView all = rowMajor(in[0].shape()), view;
  for (int64_t source : op.getPermutation()) view.strides.push_back(all.strides[source]);
  return readThrough(op, in[0], view);
}

Evaluated evaluateOp(ExpandOp op, Tensors in) { return broadcastTo(in[0], resultType(op)); }

Evaluated evaluateOp(SliceOp op, Tensors in) {
  StridedView view = rowMajor(in[0].shape());
  for (size_t i = 0; i < view.strides.size(); ++i) {
    view.offset += op.getStarts()[i] * view.strides[i];
    view.strides[i] *= op.getSteps()[i];
  }
  return readThrough(op, in[0], view);
}

Evaluated evaluateOp(InterleaveOp op, Tensors in) {
  ConstantTensor result(resultType(op));
  const int64_t rows = op.getBlock()[0], cols = op.getBlock()[1];
  const int64_t groups = static_cast<int64_t>(op.getGroups());
  const int64_t channels = result.shape()[1] / groups;
  const StridedView from = rowMajor(in[0].shape()), to = rowMajor(result.shape());
  const Shape part = {in[0].shape()[0], channels, in[0].shape()[2], in[0].shape()[3]};
  for (int64_t at = 0; at < groups * rows * cols; ++at) {
    const int64_t group = at / (rows * cols), place = at % (rows * cols);
    StridedView source = from, target = to;
    source.offset = (op.getRepeat() ? group : at) * channels * from.strides[1];
    target.offset = group * channels * to.strides[1] + place / cols * to.strides[2] + place % cols;
    target.strides[2] *= rows;
    target.strides[3] *= cols;
    copyStrided(in[0], source, result, target, part);
  }
  return result;
}

Evaluated evaluateOp(ConcatOp op, Tensors in) {
  ConstantTensor result(resultType(op));
  StridedView to = rowMajor(result.shape());
  for (const ConstantTensor& input : in) {
    copyStrided(input, rowMajor(input.shape()), result, to, input.shape());
    to.offset += input.shape()[op.getAxis()] * to.strides[op.getAxis()];
  }
  return result;
}

Evaluated evaluateOp(PadOp op, Tensors in) {
  if (op.getMode() != PadMode::constant) return std::nullopt;
  ConstantTensor result(resultType(op));
  double value = op.getValue().convertToDouble();
  if (value != 0) {
    if (result.isFloat()) {
      result.setDoubles(std::vector<double>(result.elementCount(), value));
    } else {
      result.setIntegers(std::vector<int64_t>(result.elementCount(), static_cast<int64_t>(value)));
    }
  }
  StridedView from = rowMajor(in[0].shape()), to = rowMajor(result.shape());
  Shape copied;
  for (size_t i = 0; i < from.strides.size(); ++i) {
    int64_t low = op.getLow()[i], high = op.getHigh()[i];
    from.offset += std::max<int64_t>(-low, 0) * from.strides[i];
    to.offset += std::max<int64_t>(low, 0) * to.strides[i];
    copied.push_back(std::max<int64_t>(
        0, in[0].shape()[i] + std::min<int64_t>(low, 0) + std::min<int64_t>(high, 0)));
  }
  copyStrided(in[0], from, result, to, copied);
  return result;
}

Evaluated evaluateOp(GatherOp op, Tensors in) {
  ConstantTensor result(resultType(op));
  llvm::ArrayRef<int64_t> shape = in[0].shape();
  int64_t extent = shape[op.getAxis()];
  int64_t outer = elementCount(shape.take_front(op.getAxis()));
  size_t inner_bytes = elementCount(shape.drop_front(op.getAxis() + 1)) * in[0].elementBytes();
  std::vector<int64_t> indices = in[1].asIntegers();
  if (result.elementCount() == 0) return result;
  char* target = result.data();
  for (int64_t i = 0; i < outer; ++i) {
    for (int64_t index : indices) {
      if (index < 0) index += extent;
      if (index < 0 || index >= extent) return std::nullopt;
      std::memcpy(target, in[0].data() + (i * extent + index) * inner_bytes, inner_bytes);
      target += inner_bytes;
    }
  }
  return result;
}

/// Nothing if one is outside: the run reports it, if it comes that far.
Evaluated evaluateOp(CheckIndicesOp op, Tensors in) {
  const llvm::ArrayRef<int64_t> extents = op.getExtents();
  size_t place = 0;
  for (const int64_t index : in[0].asIntegers()) {
    const int64_t extent = extents[place++ % extents.size()];
    if (index < -extent || index >= extent) return std::nullopt;
  }
  return in[0];
}

/// The largest or smallest of at least one element, as `kind` says.
std::optional<double> extremeOf(ReduceKind kind, llvm::ArrayRef<double> values, IntegerFormat) {
  double result = values.front();
  for (const double value : values) {
    result = kind == ReduceKind::max ? largestOf(result, value) : leastOf(result, value);
  }
  return result;
}

std::optional<int64_t> extremeOf(ReduceKind kind, llvm::ArrayRef<int64_t> values,
                                 IntegerFormat format) {
  const auto less = [&](int64_t x, int64_t y) {
    return evaluateComparison(BinaryKind::less, x, y, format);
  };
  return kind == ReduceKind::max ? *std::ranges::max_element(values, less)
                                 : *std::ranges::min_element(values, less);
}

double meanOf(double sum, size_t count, IntegerFormat) { return sum / static_cast<double>(count); }
int64_t meanOf(int64_t sum, size_t count, IntegerFormat format) {
  if (format.is_unsigned) return static_cast<int64_t>(static_cast<uint64_t>(sum) / count);
  return sum / static_cast<int64_t>(count);
}

/// One reduced element. `T` is double or int64_t, which wraps and which `format` says how to read.
template <typename T>
std::optional<T> reduceValues(ReduceKind kind, llvm::ArrayRef<T> values, IntegerFormat format) {
  using Wrapping = std::conditional_t<std::is_same_v<T, double>, double, uint64_t>;
  Wrapping sum = 0, product = 1, l1 = 0, square = 0;
  for (const T value : values) {
    const auto wrapping = static_cast<Wrapping>(value);
    sum += wrapping;
    product *= wrapping;
    l1 += value < 0 && !format.is_unsigned ? -wrapping : wrapping;
    square += wrapping * wrapping;
  }
  switch (kind) {
    case ReduceKind::sum:
      return static_cast<T>(sum);
    case ReduceKind::prod:
      return static_cast<T>(product);
    case ReduceKind::l1:
      return static_cast<T>(l1);
    case ReduceKind::sum_square:
      return static_cast<T>(square);
    case ReduceKind::mean:
      if (values.empty()) return std::nullopt;
      return meanOf(static_cast<T>(sum), values.size(), format);
    case ReduceKind::max:
    case ReduceKind::min:
      if (values.empty()) return std::nullopt;
      return extremeOf(kind, values, format);
    default:
      break;
  }
  if constexpr (std::is_same_v<T, double>) {
    if (kind == ReduceKind::l2) return std::sqrt(square);
    if (kind == ReduceKind::log_sum) return std::log(sum);
  }
  return std::nullopt;
}

template <typename T>
bool reduceInto(ReduceOp op, llvm::ArrayRef<T> values, llvm::ArrayRef<int64_t> shape,
                std::vector<T>& reduced, IntegerFormat format) {
  // Brings the reduced dimensions to the end: one run of elements per result.
  Shape order, extents;
  auto is_reduced = [&](int64_t i) { return llvm::is_contained(op.getAxes(), i); };
  for (bool pass : {false, true}) {
    for (int64_t i = 0; i < static_cast<int64_t>(shape.size()); ++i) {
      if (is_reduced(i) == pass) order.push_back(i);
    }
  }
  StridedView all = rowMajor(shape);
  size_t run = values.size() / std::max<size_t>(reduced.size(), 1);
  std::vector<T> group(run);
  Shape index(shape.size(), 0);
  for (T& result : reduced) {
    for (T& element : group) {
      int64_t offset = 0;
      for (size_t i = 0; i < shape.size(); ++i) offset += index[i] * all.strides[i];
      element = values[offset];
      for (size_t i = order.size(); i-- > 0;) {
        if (++index[order[i]] < shape[order[i]]) break;
        index[order[i]] = 0;
      }
    }
    std::optional<T> value = reduceValues<T>(op.getKind(), group, format);
    if (!value) return false;
    result = *value;
  }
  return true;
}

Evaluated evaluateOp(ReduceOp op, Tensors in) {
  ConstantTensor result(resultType(op));
  if (result.isFloat()) {
    std::vector<double> reduced(result.elementCount());
    if (!reduceInto<double>(op, in[0].asDoubles(), in[0].shape(), reduced, {})) return std::nullopt;
    result.setDoubles(reduced);
    return result;
  }
  std::vector<int64_t> reduced(result.elementCount());
  if (!reduceInto<int64_t>(op, in[0].asIntegers(), in[0].shape(), reduced,
                           integerFormat(result.type().getElementType()))) {
    return std::nullopt;
  }
  result.setIntegers(reduced);
  return result;
}

/// Elements that follow each other and share a scale.
template <typename Op>
int64_t elementsPerScale(Op op, ShapeRef shape) {
  return elementCount(op.getScales().size() == 1 ? shape : shape.subspan(op.getAxis() + 1));
}

Evaluated evaluateOp(QuantizeOp op, Tensors in) {
  ConstantTensor result(resultType(op));
  const mlir::Type type = result.type().getElementType();
  const unsigned width = type.getIntOrFloatBitWidth();
  const bool is_unsigned = type.isUnsignedInteger();
  const double low = is_unsigned ? 0 : -std::ldexp(1, static_cast<int>(width) - 1);
  const double high = std::ldexp(1, static_cast<int>(is_unsigned ? width : width - 1)) - 1;
  llvm::ArrayRef<float> scales = op.getScales();
  llvm::ArrayRef<int64_t> zero_points = op.getZeroPoints();
  const auto inner = static_cast<size_t>(elementsPerScale(op, in[0].shape()));
  const std::vector<double> values = in[0].asDoubles();
  std::vector<int64_t> integers(values.size());
  for (size_t i = 0; i < values.size(); ++i) {
    const size_t channel = i / inner % scales.size();
    // ONNX divides in float, and rounds halves to even. NaN becomes the lower bound, as on the CPU.
    const double steps = std::nearbyint(static_cast<float>(values[i]) / scales[channel]);
    const double shifted = steps + static_cast<double>(zero_points[channel]);
    integers[i] = static_cast<int64_t>(shifted > low ? std::min(shifted, high) : low);
  }
  result.setIntegers(integers);
  return result;
}

Evaluated evaluateOp(DequantizeOp op, Tensors in) {
  ConstantTensor result(resultType(op));
  llvm::ArrayRef<float> scales = op.getScales();
  llvm::ArrayRef<int64_t> zero_points = op.getZeroPoints();
  const int64_t inner = elementsPerScale(op, in[0].shape());
  std::vector<int64_t> integers = in[0].asIntegers();
  std::vector<double> values(integers.size());
  for (size_t i = 0; i < integers.size(); ++i) {
    size_t channel = i / inner % scales.size();
    // ONNX subtracts in integers and multiplies in float.
    values[i] = static_cast<float>(integers[i] - zero_points[channel]) * scales[channel];
  }
  result.setDoubles(values);
  return result;
}

}  // namespace

mlir::DenseElementsAttr evaluate(mlir::Operation* op,
                                 llvm::ArrayRef<mlir::DenseElementsAttr> operands) {
  auto supported = [](mlir::Type type) {
    auto tensor = mlir::dyn_cast<RankedTensorType>(type);
    return tensor && ConstantTensor::supports(tensor.getElementType());
  };
  if (!supported(op->getResult(0).getType())) return {};
  // A reshape shares the attribute's storage.
  mlir::DenseElementsAttr first = operands.empty() ? nullptr : operands[0];
  if (!first) return {};
  if (mlir::isa<ReshapeOp>(op)) return first.reshape(resultType(op));
  if (mlir::isa<ExpandOp, TransposeOp, SliceOp>(op) && first.isSplat()) {
    return first.resizeSplat(resultType(op));
  }
  std::vector<ConstantTensor> tensors;
  for (mlir::DenseElementsAttr operand : operands) {
    if (!operand || !supported(operand.getType())) return {};
    tensors.emplace_back(operand);
  }
  Evaluated result =
      llvm::TypeSwitch<mlir::Operation*, Evaluated>(op)
          .Case<UnaryOp, BinaryOp, WhereOp, ClipOp, CastOp, TransposeOp, ExpandOp, SliceOp,
                InterleaveOp, ConcatOp, PadOp, GatherOp, CheckIndicesOp, ReduceOp, QuantizeOp,
                DequantizeOp>([&](auto typed) { return evaluateOp(typed, tensors); })
          .Default([](mlir::Operation*) { return std::nullopt; });
  return result ? result->toAttribute() : mlir::DenseElementsAttr();
}

mlir::DenseElementsAttr evaluate(mlir::Operation* op) {
  llvm::SmallVector<mlir::DenseElementsAttr> operands;
  for (mlir::Value operand : op->getOperands()) {
    mlir::DenseElementsAttr value;
    if (!mlir::matchPattern(operand, mlir::m_Constant(&value))) return {};
    operands.push_back(value);
  }
  return op->getNumResults() == 1 ? evaluate(op, operands) : mlir::DenseElementsAttr();
}

}  // namespace vta::graph
