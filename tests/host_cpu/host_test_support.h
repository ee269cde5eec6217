// Compiling and running small modules in tests.
#pragma once

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/status.h"
#include "base/tensor.h"
#include "compiler/codegen/executable.h"
#include "host_cpu/backend/backend.h"

namespace vta::codegen::testing {

/// A module's functions, compiled once. Parses `text` (graph and upstream dialects); results' types
/// come from the functions' signatures.
class CompiledText {
 public:
  /// An error also where the text does not parse.
  static Result<CompiledText> create(const std::string& text, const CodeOptions& options = {});
  Result<std::vector<Tensor>> run(const std::string& function, const std::vector<Tensor>& inputs);

 private:
  std::unique_ptr<Executable> executable_;
  std::map<std::string, std::vector<Tensor>> results_;  // by function, for their types
};

/// Compiles `text` and calls its function `f` on `inputs`.
Result<std::vector<Tensor>> compileAndRun(const std::string& text,
                                          const std::vector<Tensor>& inputs,
                                          const CodeOptions& options = {});

/// Compiles `text` only.
Result<CompiledCode> compileText(const std::string& text, const CodeOptions& options = {});

/// Copies of its objects.
std::vector<std::vector<std::byte>> objectsOf(const CompiledCode& code);

/// A tensor of reproducible pseudo-random numbers: floats in [low, high], integers likewise.
Tensor randomTensor(DType dtype, std::vector<int64_t> shape, unsigned seed, double low = -1,
                    double high = 1);

/// "tensor<1x3x8x8xf32>"
std::string mlirType(DType dtype, const std::vector<int64_t>& shape);
std::string mlirType(const Tensor& tensor);

/// "array<i64: 1, 2>"
std::string mlirList(const std::vector<int64_t>& values);

/// An arith.constant attribute with the tensor's elements: dense<"0x..."> : type.
std::string mlirConstant(const Tensor& tensor);

template <typename T>
Tensor tensorOfValues(DType dtype, std::vector<int64_t> shape, const std::vector<T>& values) {
  Tensor tensor = Tensor::zeros(dtype, std::move(shape));
  std::copy(values.begin(), values.end(), tensor.as<T>().begin());
  return tensor;
}

template <typename T>
std::vector<T> valuesOf(const Tensor& tensor) {
  const auto values = tensor.as<T>();
  return {values.begin(), values.end()};
}

}  // namespace vta::codegen::testing
