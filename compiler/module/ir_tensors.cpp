#include "compiler/module/ir_tensors.h"

#include <fmt/format.h>
#include <llvm/Support/raw_ostream.h>
#include <mlir/IR/BuiltinTypes.h>
#include <mlir/IR/DialectResourceBlobManager.h>

#include <algorithm>
#include <cstring>
#include <span>

#include "compiler/dialects/graph/element_type.h"

namespace vta::compiler {
namespace {

template <typename T>
std::string print(T value) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  stream << value;
  return text;
}

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

Result<Tensor> describeType(mlir::Type type) {
  const auto ranked = mlir::dyn_cast<mlir::RankedTensorType>(type);
  if (!ranked || !ranked.hasStaticShape()) {
    return internalError(fmt::format("a static tensor type was expected, not {}", print(type)));
  }
  const auto dtype = graph::dtypeOf(ranked.getElementType());
  if (!dtype) {
    return unsupported(fmt::format("tensors of element type {}", print(ranked.getElementType())));
  }
  return Tensor{*dtype, ranked.getShape().vec(), {}};
}

Result<Tensor> readConstant(mlir::Attribute value) {
  const auto elements = mlir::dyn_cast<mlir::ElementsAttr>(value);
  if (!elements) return internalError("a constant that is not a tensor");
  VTA_ASSIGN_OR_RETURN(Tensor tensor, describeType(elements.getType()));
  tensor.data.resize(tensor.elementCount() * dtypeBytes(tensor.dtype));
  if (const auto dense = mlir::dyn_cast<mlir::DenseElementsAttr>(value)) {
    tensor.dtype == DType::kBool ? copyBooleans(dense, tensor) : copyElements(dense, tensor);
    return tensor;
  }
  if (const auto resource = mlir::dyn_cast<mlir::DenseResourceElementsAttr>(value)) {
    const mlir::AsmResourceBlob* blob = resource.getRawHandle().getBlob();
    if (blob != nullptr && blob->getData().size() == tensor.data.size()) {
      std::memcpy(tensor.data.data(), blob->getData().data(), tensor.data.size());
      return tensor;
    }
  }
  return internalError("a constant without dense elements");
}

}  // namespace vta::compiler
