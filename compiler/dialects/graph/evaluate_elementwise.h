// The scalar functions behind graph.unary and graph.binary, for constants.
#pragma once

#include <cstdint>
#include <optional>

#include "compiler/dialects/graph/graph.h"

namespace vta::graph {

/// f(x) in double.
double evaluateUnary(UnaryKind kind, double x, double alpha, double beta);
/// Nothing where `kind` has no meaning on integers.
std::optional<int64_t> evaluateUnary(UnaryKind kind, int64_t x);

bool isComparison(BinaryKind kind);
bool evaluateComparison(BinaryKind kind, double x, double y);
bool evaluateComparison(BinaryKind kind, int64_t x, int64_t y);

/// Nothing where `kind` has no meaning on floats or integers, or for an integer division by zero.
std::optional<double> evaluateBinary(BinaryKind kind, double x, double y);
std::optional<int64_t> evaluateBinary(BinaryKind kind, int64_t x, int64_t y);

}  // namespace vta::graph
