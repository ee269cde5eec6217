#include "compiler/transforms/vta_constants.h"

#include <cstring>

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/DialectResourceBlobManager.h"

namespace vta::compiler {

namespace {

/// Copies the raw storage of a constant; `element_bytes` must be the element type's size.
template <typename T>
std::optional<std::vector<T>> readRaw(mlir::Value value) {
  auto constant = value.getDefiningOp<mlir::arith::ConstantOp>();
  if (!constant) return std::nullopt;
  auto type = mlir::dyn_cast<mlir::RankedTensorType>(constant.getType());
  if (!type || !type.getElementType().isInteger(sizeof(T) * 8)) return std::nullopt;
  std::vector<T> out(static_cast<size_t>(type.getNumElements()));
  mlir::ArrayRef<char> raw;
  bool splat = false;
  if (auto dense = mlir::dyn_cast<mlir::DenseElementsAttr>(constant.getValue())) {
    raw = dense.getRawData();
    splat = dense.isSplat();
  } else if (auto resource = mlir::dyn_cast<mlir::DenseResourceElementsAttr>(constant.getValue())) {
    mlir::AsmResourceBlob* blob = resource.getRawHandle().getBlob();
    if (!blob) return std::nullopt;
    raw = blob->getData();
  } else {
    return std::nullopt;
  }
  if (splat) {
    T element;
    std::memcpy(&element, raw.data(), sizeof(T));
    std::fill(out.begin(), out.end(), element);
  } else {
    if (raw.size() != out.size() * sizeof(T)) return std::nullopt;
    std::memcpy(out.data(), raw.data(), raw.size());
  }
  return out;
}

}  // namespace

std::optional<std::vector<int8_t>> readBytes(mlir::Value value) { return readRaw<int8_t>(value); }

std::optional<std::vector<int32_t>> readIntegers(mlir::Value value) {
  if (auto wide = readRaw<int32_t>(value)) return wide;
  if (auto bytes = readRaw<int8_t>(value)) {
    return std::vector<int32_t>(bytes->begin(), bytes->end());
  }
  return std::nullopt;
}

bool isConstant(mlir::Value value) {
  return value.getDefiningOp<mlir::arith::ConstantOp>() != nullptr;
}

}  // namespace vta::compiler
