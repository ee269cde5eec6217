// A dense host tensor: the currency between image readers, the compiler's calibration and the
// runtime.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace vta {

enum class DType : uint8_t {
  kF32,
  kF64,
  kI8,
  kU8,
  kI16,
  kU16,
  kI32,
  kU32,
  kI64,
  kU64,
  kBool,
  kF16,
  kBF16
};
size_t dtypeBytes(DType dtype);
std::string_view dtypeName(DType dtype);  // numpy's names: "float32", "int8", ..., "bool"
std::optional<DType> dtypeFromName(std::string_view name);
bool isFloat(DType dtype);

/// Row-major elements with their shape; an empty shape is a scalar. `data` holds
/// elementCount() * dtypeBytes(dtype) bytes.
struct Tensor {
  DType dtype = DType::kF32;
  std::vector<int64_t> shape;
  std::vector<std::byte> data;

  static Tensor zeros(DType dtype, std::vector<int64_t> shape);
  int64_t elementCount() const;
  size_t sizeBytes() const { return data.size(); }

  template <typename T>
  std::span<T> as() {
    return {reinterpret_cast<T*>(data.data()), data.size() / sizeof(T)};
  }
  template <typename T>
  std::span<const T> as() const {
    return {reinterpret_cast<const T*>(data.data()), data.size() / sizeof(T)};
  }
};

/// A tensor of floats with its elements rounded to another float type.
Tensor toFloatType(const Tensor& tensor, DType dtype);

/// "1x3x224x224 float32"
std::string describe(DType dtype, std::span<const int64_t> shape);

/// Named tensors: one set of inputs or outputs of a model.
using TensorMap = std::map<std::string, Tensor>;

}  // namespace vta
