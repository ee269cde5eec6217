#include "compiler/frontend/onnx/compose.h"

#include <numeric>

#include "compiler/dialects/graph/constant_tensor.h"

namespace vta::compiler {

using graph::Shape;
using mlir::RankedTensorType;
using mlir::Value;

void Composer::fail(Status status) {
  if (ok()) status_ = std::move(status);
}

Value Composer::take(Result<Value> result) {
  if (result.ok()) return *result;
  fail(result.status());
  return {};
}

Status Composer::finish(Value value, size_t index) {
  if (ok()) node_.setOutput(index, value);
  return status_;
}

Value Composer::input(size_t index, std::string_view name) {
  return ok() ? take(node_.input(index, name)) : Value();
}

Shape Composer::integers(size_t index, std::string_view name) {
  if (!ok()) return {};
  Result<Shape> values = node_.integers(index, name);
  if (values.ok()) return *values;
  fail(values.status());
  return {};
}

int64_t Composer::axis(int64_t axis, int64_t rank) {
  if (!ok()) return 0;
  Result<int64_t> normalized = normalizeAxis(axis, rank);
  if (normalized.ok()) return *normalized;
  fail(normalized.status());
  return 0;
}

Shape Composer::shape(Value value) const {
  if (!ready(value)) return {};
  graph::ShapeRef shape = graph::shapeOf(value);
  return {shape.begin(), shape.end()};
}

Value Composer::number(double value, mlir::Type type) {
  return ok() ? node_.build().scalar(value, type) : Value();
}

Value Composer::numberLike(double number, Value value) {
  return ready(value) ? this->number(number, graph::elementTypeOf(value)) : Value();
}

Value Composer::numbers(const Shape& shape, const std::vector<double>& values, mlir::Type type) {
  if (!ok()) return {};
  graph::ConstantTensor tensor(RankedTensorType::get(shape, type));
  if (tensor.isFloat()) {
    tensor.setDoubles(values);
  } else {
    tensor.setIntegers(std::vector<int64_t>(values.begin(), values.end()));
  }
  return node_.build().constant(tensor.toAttribute());
}

Value Composer::integers(const Shape& shape, const std::vector<int64_t>& values, mlir::Type type) {
  if (!ok()) return {};
  graph::ConstantTensor tensor(RankedTensorType::get(shape, type));
  tensor.setIntegers(values);
  return node_.build().constant(tensor.toAttribute());
}

Value Composer::positions(int64_t count, int64_t axis, int64_t rank, mlir::Type type) {
  if (!ok()) return {};
  Shape shape(rank, 1);
  shape[axis] = count;
  std::vector<int64_t> values(count);
  std::iota(values.begin(), values.end(), 0);
  return integers(shape, values, type);
}

Value Composer::unary(graph::UnaryKind kind, Value input, double alpha, double beta) {
  return ready(input) ? take(node_.build().unary(kind, input, alpha, beta)) : Value();
}

Value Composer::binary(graph::BinaryKind kind, Value lhs, Value rhs) {
  return ready(lhs, rhs) ? take(node_.build().binary(kind, lhs, rhs)) : Value();
}

Value Composer::where(Value condition, Value lhs, Value rhs) {
  return ready(condition, lhs, rhs) ? take(node_.build().where(condition, lhs, rhs)) : Value();
}

Value Composer::keep(Value condition, Value input) {
  return where(condition, input, numberLike(0, input));
}

Value Composer::cast(Value input, mlir::Type type) {
  return ready(input) ? take(node_.build().cast(input, type)) : Value();
}

Value Composer::reshape(Value input, const Shape& shape) {
  return ready(input) ? take(node_.build().reshape(input, shape)) : Value();
}

Value Composer::unsqueeze(Value input, int64_t axis) {
  Shape result = shape(input);
  if (!ready(input)) return {};
  result.insert(result.begin() + axis, 1);
  return reshape(input, result);
}

Value Composer::squeeze(Value input, int64_t axis) {
  Shape result = shape(input);
  if (!ready(input)) return {};
  result.erase(result.begin() + axis);
  return reshape(input, result);
}

Value Composer::softmax(Value input, int64_t axis, bool log) {
  return ready(input) ? take(node_.build().softmax(input, axis, log)) : Value();
}

Value Composer::pad(Value input, const Shape& low, const Shape& high, double value) {
  if (!ready(input)) return {};
  return take(node_.build().pad(input, low, high, graph::PadMode::constant, value));
}

std::vector<Value> Composer::split(Value input, int64_t axis, int64_t parts) {
  std::vector<Value> result(parts);
  if (!ready(input)) return result;
  const int64_t extent = shape(input)[axis] / parts;
  for (int64_t i = 0; i < parts; ++i) {
    result[i] = slice(input, axis, i * extent, (i + 1) * extent);
  }
  return result;
}

Value Composer::transpose(Value input, const Shape& permutation) {
  return ready(input) ? take(node_.build().transpose(input, permutation)) : Value();
}

Value Composer::expand(Value input, const Shape& shape) {
  return ready(input) ? take(node_.build().expand(input, shape)) : Value();
}

Value Composer::concat(const std::vector<Value>& inputs, int64_t axis) {
  return ok() ? take(node_.build().concat(inputs, axis)) : Value();
}

Value Composer::gather(Value input, Value indices, int64_t axis) {
  return ready(input, indices) ? take(node_.build().gather(input, indices, axis)) : Value();
}

Value Composer::matmul(Value lhs, Value rhs) {
  return ready(lhs, rhs) ? take(node_.build().matmul(lhs, rhs)) : Value();
}

Value Composer::reduce(graph::ReduceKind kind, Value input, const Shape& axes, bool keep_dims) {
  return ready(input) ? take(node_.build().reduce(kind, input, axes, keep_dims)) : Value();
}

Value Composer::slice(Value input, int64_t axis, int64_t start, int64_t end) {
  Shape extents = shape(input);
  if (!ready(input)) return {};
  Shape starts(extents.size(), 0);
  starts[axis] = start;
  extents[axis] = end - start;
  return take(node_.build().slice(input, starts, Shape(extents.size(), 1), extents));
}

Value Composer::reversed(Value input, int64_t axis) {
  Shape extents = shape(input);
  if (!ready(input)) return {};
  Shape starts(extents.size(), 0), steps(extents.size(), 1);
  starts[axis] = extents[axis] - 1;
  steps[axis] = -1;
  return take(node_.build().slice(input, starts, steps, extents));
}

}  // namespace vta::compiler
