#include "compiler/dialects/graph/constant_tensor.h"

#include <algorithm>
#include <cassert>
#include <cstring>

#include "base/half.h"

namespace vta::graph {
namespace {

size_t bytesOf(mlir::Type element_type) {
  return element_type.isInteger(1) ? 1 : element_type.getIntOrFloatBitWidth() / 8;
}

/// Calls `visit` with a value of the C++ type that holds elements of `type`.
template <typename Visit>
void dispatch(mlir::Type type, Visit&& visit) {
  if (type.isF32()) return visit(float{});
  if (type.isF64()) return visit(double{});
  if (type.isF16()) return visit(Half{});
  if (type.isBF16()) return visit(Bfloat{});
  bool is_unsigned = type.isUnsignedInteger() || type.isInteger(1);
  switch (bytesOf(type)) {
    case 1:
      return is_unsigned ? visit(uint8_t{}) : visit(int8_t{});
    case 2:
      return is_unsigned ? visit(uint16_t{}) : visit(int16_t{});
    case 4:
      return is_unsigned ? visit(uint32_t{}) : visit(int32_t{});
    default:
      return is_unsigned ? visit(uint64_t{}) : visit(int64_t{});
  }
}

template <typename To>
std::vector<To> convert(const char* data, size_t count, mlir::Type type) {
  std::vector<To> result(count);
  dispatch(type, [&](auto sample) {
    auto* values = reinterpret_cast<const decltype(sample)*>(data);
    for (size_t i = 0; i < count; ++i) {
      if constexpr (requires { values[i].bits; }) {
        result[i] = static_cast<To>(static_cast<float>(values[i]));
      } else {
        result[i] = static_cast<To>(values[i]);
      }
    }
  });
  return result;
}

template <typename From>
void store(llvm::ArrayRef<From> values, char* data, mlir::Type type) {
  dispatch(type, [&](auto sample) {
    auto* target = reinterpret_cast<decltype(sample)*>(data);
    for (size_t i = 0; i < values.size(); ++i) {
      if constexpr (requires { sample.bits; }) {
        target[i] = decltype(sample)(static_cast<float>(values[i]));
      } else {
        target[i] = static_cast<decltype(sample)>(values[i]);
      }
    }
  });
}

template <typename T>
void copyLevel(const T* source, ShapeRef source_strides, T* target, ShapeRef target_strides,
               ShapeRef shape) {
  if (shape.empty()) {
    *target = *source;
    return;
  }
  if (shape.size() == 1 && source_strides[0] == 1 && target_strides[0] == 1) {
    std::copy_n(source, shape[0], target);
    return;
  }
  for (int64_t i = 0; i < shape[0]; ++i) {
    copyLevel(source + i * source_strides[0], source_strides.subspan(1),
              target + i * target_strides[0], target_strides.subspan(1), shape.subspan(1));
  }
}

}  // namespace

bool ConstantTensor::supports(mlir::Type type) {
  if (type.isF32() || type.isF64() || type.isF16() || type.isBF16()) return true;
  auto integer = mlir::dyn_cast<mlir::IntegerType>(type);
  if (!integer) return false;
  unsigned width = integer.getWidth();
  return width == 1 || width == 8 || width == 16 || width == 32 || width == 64;
}

ConstantTensor::ConstantTensor(mlir::RankedTensorType type)
    : type_(type), element_bytes_(bytesOf(type.getElementType())) {
  data_.resize(type.getNumElements() * element_bytes_);
}

ConstantTensor::ConstantTensor(mlir::DenseElementsAttr attribute)
    : ConstantTensor(mlir::cast<mlir::RankedTensorType>(attribute.getType())) {
  if (data_.empty()) return;
  if (type_.getElementType().isInteger(1)) {
    size_t i = 0;
    for (bool value : attribute.getValues<bool>()) data_[i++] = static_cast<char>(value);
    return;
  }
  llvm::ArrayRef<char> raw = attribute.getRawData();
  if (!attribute.isSplat()) {
    assert(raw.size() == data_.size());
    llvm::copy(raw, data_.begin());
    return;
  }
  for (size_t i = 0; i < data_.size(); i += element_bytes_) {
    std::memcpy(data_.data() + i, raw.data(), element_bytes_);
  }
}

mlir::DenseElementsAttr ConstantTensor::toAttribute() const {
  if (type_.getElementType().isInteger(1)) {
    return mlir::DenseElementsAttr::get(
        type_, llvm::ArrayRef<bool>(reinterpret_cast<const bool*>(data_.data()), data_.size()));
  }
  return mlir::DenseElementsAttr::getFromRawBuffer(type_, data_);
}

std::vector<double> ConstantTensor::asDoubles() const {
  return convert<double>(data_.data(), elementCount(), type_.getElementType());
}

std::vector<float> ConstantTensor::asFloats() const {
  return convert<float>(data_.data(), elementCount(), type_.getElementType());
}

std::vector<int64_t> ConstantTensor::asIntegers() const {
  return convert<int64_t>(data_.data(), elementCount(), type_.getElementType());
}

void ConstantTensor::setDoubles(llvm::ArrayRef<double> values) {
  store(values, data_.data(), type_.getElementType());
}

void ConstantTensor::setIntegers(llvm::ArrayRef<int64_t> values) {
  if (!type_.getElementType().isInteger(1)) {
    return store(values, data_.data(), type_.getElementType());
  }
  for (size_t i = 0; i < values.size(); ++i) data_[i] = static_cast<char>(values[i] & 1);
}

StridedView rowMajor(ShapeRef shape) {
  StridedView view{0, Shape(shape.size(), 1)};
  for (size_t i = shape.size(); i-- > 1;) view.strides[i - 1] = view.strides[i] * shape[i];
  return view;
}

void copyStrided(const ConstantTensor& source, const StridedView& from, ConstantTensor& target,
                 const StridedView& to, ShapeRef shape) {
  assert(source.elementBytes() == target.elementBytes());
  if (graph::elementCount(shape) == 0) return;
  auto copy = [&](auto sample) {
    using T = decltype(sample);
    copyLevel(reinterpret_cast<const T*>(source.data()) + from.offset, from.strides,
              reinterpret_cast<T*>(target.data()) + to.offset, to.strides, shape);
  };
  switch (source.elementBytes()) {
    case 1:
      return copy(uint8_t{});
    case 2:
      return copy(uint16_t{});
    case 4:
      return copy(uint32_t{});
    default:
      return copy(uint64_t{});
  }
}

ConstantTensor broadcastTo(const ConstantTensor& tensor, mlir::RankedTensorType type) {
  ConstantTensor result(type.clone(tensor.type().getElementType()));
  llvm::ArrayRef<int64_t> shape = tensor.shape();
  StridedView from = rowMajor(shape);
  for (size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] == 1) from.strides[i] = 0;
  }
  from.strides.insert(from.strides.begin(), type.getRank() - shape.size(), 0);
  copyStrided(tensor, from, result, rowMajor(type.getShape()), type.getShape());
  return result;
}

}  // namespace vta::graph
