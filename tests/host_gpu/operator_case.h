// Operators of the graph dialect with inputs and a result, for tests that run them on every device.
#pragma once

#include <cstdint>
#include <ostream>
#include <string>
#include <vector>

#include "base/tensor.h"

namespace vta::codegen::testing {

struct OperatorCase {
  std::string name;
  std::vector<std::string> inputs;  // types
  std::string result;
  std::string body;  // of %a, %b, ... to %y
  double low = -4, high = 4;
};

inline void PrintTo(const OperatorCase& test, std::ostream* stream) { *stream << test.name; }

/// One op, as the body of a case has it.
std::string simple(const std::string& op, const std::vector<std::string>& inputs,
                   const std::string& result, const std::string& attributes = "");

/// A case of one op.
OperatorCase of(std::string name, const std::string& op, std::vector<std::string> inputs,
                const std::string& result, const std::string& attributes = "", double low = -4,
                double high = 4);

/// Operators of integers of 64 bits: moves, arithmetic, casts and reductions.
std::vector<OperatorCase> wideIntegerCases();

/// An input of these cases, of int64 or uint64. If it has all numbers, those at which words
/// overflow and halves between two floats are among them.
Tensor wideTensor(DType dtype, const std::vector<int64_t>& shape, unsigned seed, double low,
                  double high);

}  // namespace vta::codegen::testing
