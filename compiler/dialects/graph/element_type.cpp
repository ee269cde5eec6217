#include "compiler/dialects/graph/element_type.h"

#include <algorithm>
#include <cstring>
#include <span>

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/DialectResourceBlobManager.h"

namespace vta::graph {
namespace {

void copyBooleans(mlir::DenseElementsAttr dense, Tensor& tensor) {
  size_t at = 0;
  for (const bool value : dense.getValues<bool>()) tensor.data[at++] = std::byte{value};
}

void copyElements(mlir::DenseElementsAttr dense, Tensor& tensor) {
  const llvm::ArrayRef<char> raw = dense.getRawData();
  if (!dense.isSplat()) {
    std::ranges::copy(std::as_bytes(std::span(raw.data(), raw.size())), tensor.data.begin());
    return;
  }
  for (size_t at = 0; at < tensor.data.size(); at += raw.size()) {
    std::memcpy(&tensor.data[at], raw.data(), raw.size());
  }
}

}  // namespace

std::optional<DType> dtypeOf(mlir::Type element) {
  if (element.isF32()) return DType::kF32;
  if (element.isF64()) return DType::kF64;
  if (element.isF16()) return DType::kF16;
  if (element.isBF16()) return DType::kBF16;
  auto integer = mlir::dyn_cast<mlir::IntegerType>(element);
  if (!integer) return std::nullopt;
  const bool is_unsigned = integer.isUnsigned();
  switch (integer.getWidth()) {
    case 1:
      return DType::kBool;
    case 8:
      return is_unsigned ? DType::kU8 : DType::kI8;
    case 16:
      return is_unsigned ? DType::kU16 : DType::kI16;
    case 32:
      return is_unsigned ? DType::kU32 : DType::kI32;
    case 64:
      return is_unsigned ? DType::kU64 : DType::kI64;
    default:
      return std::nullopt;
  }
}

mlir::Type elementTypeOf(DType dtype, mlir::MLIRContext& context) {
  const auto integer = [&context](unsigned bits, bool is_unsigned) {
    return mlir::IntegerType::get(
        &context, bits, is_unsigned ? mlir::IntegerType::Unsigned : mlir::IntegerType::Signless);
  };
  switch (dtype) {
    case DType::kF32:
      return mlir::Float32Type::get(&context);
    case DType::kF64:
      return mlir::Float64Type::get(&context);
    case DType::kF16:
      return mlir::Float16Type::get(&context);
    case DType::kBF16:
      return mlir::BFloat16Type::get(&context);
    case DType::kBool:
      return integer(1, false);
    case DType::kI8:
    case DType::kI16:
    case DType::kI32:
    case DType::kI64:
      return integer(8 * dtypeBytes(dtype), false);
    case DType::kU8:
    case DType::kU16:
    case DType::kU32:
    case DType::kU64:
      return integer(8 * dtypeBytes(dtype), true);
  }
  return {};
}

std::optional<Tensor> tensorOf(mlir::ElementsAttr elements) {
  const auto dtype = dtypeOf(elements.getElementType());
  if (!dtype) return std::nullopt;
  Tensor tensor = Tensor::zeros(*dtype, elements.getShapedType().getShape().vec());
  if (const auto resource = mlir::dyn_cast<mlir::DenseResourceElementsAttr>(elements)) {
    const mlir::AsmResourceBlob* blob = resource.getRawHandle().getBlob();
    if (!blob || blob->getData().size() != tensor.data.size()) return std::nullopt;
    std::memcpy(tensor.data.data(), blob->getData().data(), tensor.data.size());
    return tensor;
  }
  const auto dense = mlir::dyn_cast<mlir::DenseElementsAttr>(elements);
  if (!dense) return std::nullopt;
  *dtype == DType::kBool ? copyBooleans(dense, tensor) : copyElements(dense, tensor);
  return tensor;
}

}  // namespace vta::graph
