// Decompositions: one ONNX node as several graph ops, without an error check after each.
#pragma once

#include <string_view>
#include <vector>

#include "compiler/frontend/onnx/node.h"

namespace vta::compiler {

/// Builds ops for `node`. The first error sticks: from then on every method returns null (or an
/// empty shape) and does nothing, and `status` and `finish` give the error.
class Composer {
 public:
  /// `node` outlives the composer.
  explicit Composer(Node& node) : node_(node) {}

  bool ok() const { return status_.ok(); }
  const Status& status() const { return status_; }
  void fail(Status status);
  /// The value of `result`; null, after keeping its error, if there is none.
  mlir::Value take(Result<mlir::Value> result);
  /// Stores `value` as output `index`. The error, if there was one.
  Status finish(mlir::Value value, size_t index = 0);

  mlir::Value input(size_t index, std::string_view name);
  /// Null if absent.
  mlir::Value optional(size_t index) const { return node_.optionalInput(index); }
  Node& node() { return node_; }
  /// Constant integers; empty after an error.
  graph::Shape integers(size_t index, std::string_view name);
  /// `axis` counted from the front of `rank` dimensions; 0 after an error.
  int64_t axis(int64_t axis, int64_t rank);
  graph::Shape shape(mlir::Value value) const;
  int64_t rank(mlir::Value value) const { return std::ssize(shape(value)); }

  // Constants.
  /// A tensor whose elements are all `value`.
  mlir::Value filled(const graph::Shape& shape, double value, mlir::Type type) {
    return expand(number(value, type), shape);
  }
  mlir::Value number(double value, mlir::Type type);
  /// A 0-D constant of `value`'s element type.
  mlir::Value numberLike(double number, mlir::Value value);
  mlir::Value numbers(const graph::Shape& shape, const std::vector<double>& values,
                      mlir::Type type);
  mlir::Value integers(const graph::Shape& shape, const std::vector<int64_t>& values,
                       mlir::Type type);
  /// 0, 1, 2 ... along dimension `axis` of `rank`; the other extents are 1.
  mlir::Value positions(int64_t count, int64_t axis, int64_t rank, mlir::Type type);

  // Ops.
  mlir::Value unary(graph::UnaryKind kind, mlir::Value input, double alpha = 0, double beta = 0);
  mlir::Value binary(graph::BinaryKind kind, mlir::Value lhs, mlir::Value rhs);
  mlir::Value add(mlir::Value lhs, mlir::Value rhs) {
    return binary(graph::BinaryKind::add, lhs, rhs);
  }
  mlir::Value sub(mlir::Value lhs, mlir::Value rhs) {
    return binary(graph::BinaryKind::sub, lhs, rhs);
  }
  mlir::Value mul(mlir::Value lhs, mlir::Value rhs) {
    return binary(graph::BinaryKind::mul, lhs, rhs);
  }
  mlir::Value div(mlir::Value lhs, mlir::Value rhs) {
    return binary(graph::BinaryKind::div, lhs, rhs);
  }
  mlir::Value equal(mlir::Value lhs, mlir::Value rhs) {
    return binary(graph::BinaryKind::equal, lhs, rhs);
  }
  mlir::Value min(mlir::Value lhs, mlir::Value rhs) {
    return binary(graph::BinaryKind::min, lhs, rhs);
  }
  mlir::Value max(mlir::Value lhs, mlir::Value rhs) {
    return binary(graph::BinaryKind::max, lhs, rhs);
  }
  /// `value` times a number; itself for 1.
  mlir::Value scale(mlir::Value value, double factor) {
    return factor == 1 ? value : mul(value, numberLike(factor, value));
  }
  mlir::Value less(mlir::Value lhs, mlir::Value rhs) {
    return binary(graph::BinaryKind::less, lhs, rhs);
  }
  mlir::Value where(mlir::Value condition, mlir::Value lhs, mlir::Value rhs);
  /// `input` where `condition` holds, else 0.
  mlir::Value keep(mlir::Value condition, mlir::Value input);
  mlir::Value cast(mlir::Value input, mlir::Type type);
  mlir::Value reshape(mlir::Value input, const graph::Shape& shape);
  mlir::Value unsqueeze(mlir::Value input, int64_t axis);
  /// Without dimension `axis`, whose extent is 1.
  mlir::Value squeeze(mlir::Value input, int64_t axis);
  mlir::Value transpose(mlir::Value input, const graph::Shape& permutation);
  mlir::Value expand(mlir::Value input, const graph::Shape& shape);
  mlir::Value concat(const std::vector<mlir::Value>& inputs, int64_t axis);
  mlir::Value gather(mlir::Value input, mlir::Value indices, int64_t axis);
  mlir::Value matmul(mlir::Value lhs, mlir::Value rhs);
  mlir::Value softmax(mlir::Value input, int64_t axis, bool log = false);
  /// Constant padding.
  mlir::Value pad(mlir::Value input, const graph::Shape& low, const graph::Shape& high,
                  double value = 0);
  mlir::Value reduce(graph::ReduceKind kind, mlir::Value input, const graph::Shape& axes,
                     bool keep_dims = false);
  mlir::Value sum(mlir::Value input, const graph::Shape& axes, bool keep_dims = false) {
    return reduce(graph::ReduceKind::sum, input, axes, keep_dims);
  }
  mlir::Value mean(mlir::Value input, const graph::Shape& axes, bool keep_dims = false) {
    return reduce(graph::ReduceKind::mean, input, axes, keep_dims);
  }
  /// `input` in `parts` equal parts along `axis`; `parts` nulls after an error.
  std::vector<mlir::Value> split(mlir::Value input, int64_t axis, int64_t parts);
  /// Elements `start` to `end` of dimension `axis`.
  mlir::Value slice(mlir::Value input, int64_t axis, int64_t start, int64_t end);
  /// Dimension `axis` backwards.
  mlir::Value reversed(mlir::Value input, int64_t axis);

 private:
  template <typename... Values>
  bool ready(Values... values) const {
    return ok() && (... && static_cast<bool>(values));
  }

  Node& node_;
  Status status_;
};

}  // namespace vta::compiler
