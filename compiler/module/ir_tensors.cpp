#include "compiler/module/ir_tensors.h"

#include <fmt/format.h>
#include <llvm/Support/raw_ostream.h>
#include <mlir/IR/BuiltinTypes.h>

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
  VTA_RETURN_IF_ERROR(describeType(elements.getType()).status());
  auto tensor = graph::tensorOf(elements);
  if (!tensor) return internalError("a constant without dense elements");
  return *std::move(tensor);
}

}  // namespace vta::compiler
