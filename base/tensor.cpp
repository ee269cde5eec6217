#include "base/tensor.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <functional>
#include <numeric>

namespace vta {
namespace {

struct DTypeInfo {
  DType dtype;
  std::string_view name;
  size_t size_bytes;
};

constexpr std::array<DTypeInfo, 11> kDTypes = {{{DType::kF32, "float32", 4},
                                                {DType::kF64, "float64", 8},
                                                {DType::kI8, "int8", 1},
                                                {DType::kU8, "uint8", 1},
                                                {DType::kI16, "int16", 2},
                                                {DType::kU16, "uint16", 2},
                                                {DType::kI32, "int32", 4},
                                                {DType::kU32, "uint32", 4},
                                                {DType::kI64, "int64", 8},
                                                {DType::kU64, "uint64", 8},
                                                {DType::kBool, "bool", 1}}};

}  // namespace

size_t dtypeBytes(DType dtype) { return kDTypes[static_cast<size_t>(dtype)].size_bytes; }

std::string_view dtypeName(DType dtype) { return kDTypes[static_cast<size_t>(dtype)].name; }

std::optional<DType> dtypeFromName(std::string_view name) {
  for (const DTypeInfo& info : kDTypes) {
    if (info.name == name) return info.dtype;
  }
  return std::nullopt;
}

Tensor Tensor::zeros(DType dtype, std::vector<int64_t> shape) {
  Tensor tensor{dtype, std::move(shape), {}};
  tensor.data.resize(static_cast<size_t>(tensor.elementCount()) * dtypeBytes(dtype));
  return tensor;
}

int64_t Tensor::elementCount() const {
  return std::accumulate(shape.begin(), shape.end(), int64_t{1}, std::multiplies<>());
}

std::string describe(DType dtype, std::span<const int64_t> shape) {
  if (shape.empty()) return fmt::format("scalar {}", dtypeName(dtype));
  return fmt::format("{} {}", fmt::join(shape, "x"), dtypeName(dtype));
}

}  // namespace vta
