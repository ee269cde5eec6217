#include "compiler/vta/common/constants.h"

#include <span>

#include "compiler/dialects/graph/element_type.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/BuiltinAttributes.h"

namespace vta::compiler {

namespace {

/// The elements of an integer constant of T's width; null for other values.
template <typename T>
std::optional<std::vector<T>> readElements(mlir::Value value) {
  auto constant = value.getDefiningOp<mlir::arith::ConstantOp>();
  if (!constant) return std::nullopt;
  const auto elements = mlir::dyn_cast<mlir::ElementsAttr>(constant.getValue());
  if (!elements || !elements.getElementType().isInteger(sizeof(T) * 8)) return std::nullopt;
  const auto tensor = graph::tensorOf(elements);
  if (!tensor) return std::nullopt;
  const std::span<const T> values = tensor->as<T>();
  return std::vector<T>(values.begin(), values.end());
}

}  // namespace

std::optional<std::vector<int8_t>> readBytes(mlir::Value value) {
  return readElements<int8_t>(value);
}

std::optional<std::vector<int32_t>> readIntegers(mlir::Value value) {
  if (auto wide = readElements<int32_t>(value)) return wide;
  if (auto bytes = readElements<int8_t>(value)) {
    return std::vector<int32_t>(bytes->begin(), bytes->end());
  }
  return std::nullopt;
}

bool isConstant(mlir::Value value) {
  return value.getDefiningOp<mlir::arith::ConstantOp>() != nullptr;
}

}  // namespace vta::compiler
