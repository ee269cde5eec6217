#include "compiler/dialects/graph/element_type.h"

#include "mlir/IR/BuiltinTypes.h"

namespace vta::graph {

std::optional<DType> dtypeOf(mlir::Type element) {
  if (element.isF32()) return DType::kF32;
  if (element.isF64()) return DType::kF64;
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

}  // namespace vta::graph
