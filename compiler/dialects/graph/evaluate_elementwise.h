// The scalar functions behind graph.unary and graph.binary, for constants.
#pragma once

#include <cstdint>
#include <optional>

#include "compiler/dialects/graph/graph.h"

namespace vta::graph {

/// How an integer type reads the int64_t that holds an element: extended by signedness, so that
/// only unsigned values of 64 bits are other numbers than the int64_t.
struct IntegerFormat {
  unsigned width = 64;
  bool is_unsigned = false;
};

/// The format of an integer type; i1 is unsigned.
IntegerFormat integerFormat(mlir::Type type);

/// f(x) in double.
double evaluateUnary(UnaryKind kind, double x, double alpha, double beta);
/// Nothing where `kind` has no meaning on integers. The low bits of the result count.
std::optional<int64_t> evaluateUnary(UnaryKind kind, int64_t x, IntegerFormat format);

bool isComparison(BinaryKind kind);
bool evaluateComparison(BinaryKind kind, double x, double y);
bool evaluateComparison(BinaryKind kind, int64_t x, int64_t y, IntegerFormat format);

/// The smaller and the larger of two floats: -0 is less than 0, and NaN stays.
double leastOf(double x, double y);
double largestOf(double x, double y);

/// Nothing where `kind` has no meaning on floats or integers, or for an integer division by zero.
/// The low bits of integers count.
std::optional<double> evaluateBinary(BinaryKind kind, double x, double y);
std::optional<int64_t> evaluateBinary(BinaryKind kind, int64_t x, int64_t y, IntegerFormat format);

/// What graph.cast makes of a float: the number without its fraction, of which the low bits count.
/// One that does not fit the integers that it is converted by (of 32 bits for types that these
/// hold, else of 64), and NaN, is the least of them.
int64_t truncated(double x, IntegerFormat format);

}  // namespace vta::graph
