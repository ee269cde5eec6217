#include "compiler/quantize/plan/check_finite.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <optional>
#include <vector>

#include "compiler/dialects/graph/graph.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Location.h"

namespace vta::compiler {
namespace {

struct Finding {
  int64_t element = 0;
  double value = 0;
};

template <typename T>
std::optional<Finding> findIn(mlir::DenseElementsAttr values, bool infinity_is_legal) {
  const llvm::ArrayRef<char> raw = values.getRawData();
  const auto* elements = reinterpret_cast<const T*>(raw.data());
  for (size_t i = 0; i < raw.size() / sizeof(T); ++i) {
    if (std::isfinite(elements[i]) || (infinity_is_legal && std::isinf(elements[i]))) continue;
    return Finding{static_cast<int64_t>(i), static_cast<double>(elements[i])};
  }
  return std::nullopt;
}

std::optional<Finding> findNonFinite(mlir::DenseElementsAttr values, bool infinity_is_legal) {
  if (values.getElementType().isF32()) return findIn<float>(values, infinity_is_legal);
  if (values.getElementType().isF64()) return findIn<double>(values, infinity_is_legal);
  return std::nullopt;
}

std::string nameOf(mlir::Location location) {
  if (const auto name = mlir::dyn_cast<mlir::NameLoc>(location)) return name.getName().str();
  return "?";
}

/// The index of element `flat` of a tensor: "[1, 0, 3]".
std::string indexText(mlir::ShapedType type, int64_t flat) {
  std::vector<int64_t> index(type.getShape().size());
  for (size_t axis = index.size(); axis-- > 0;) {
    index[axis] = flat % type.getShape()[axis];
    flat /= type.getShape()[axis];
  }
  return fmt::format("{}", index);
}

/// Calls visit(constant) for every constant whose elements `value` consists of.
template <typename Visit>
Status forEachConstant(mlir::Value value, const Visit& visit) {
  mlir::Operation* op = value.getDefiningOp();
  if (op == nullptr) return {};
  if (auto constant = mlir::dyn_cast<mlir::arith::ConstantOp>(op)) return visit(constant);
  const bool only_moves = mlir::isa<graph::ReshapeOp, graph::TransposeOp, graph::ExpandOp,
                                    graph::ConcatOp, graph::SliceOp, graph::PadOp>(op);
  if (!only_moves) return {};
  for (const mlir::Value operand : op->getOperands()) {
    VTA_RETURN_IF_ERROR(forEachConstant(operand, visit));
  }
  return {};
}

Status checkOperands(mlir::Operation& op, bool infinity_is_legal) {
  const auto check = [&](mlir::arith::ConstantOp constant) -> Status {
    const auto values = mlir::dyn_cast<mlir::DenseElementsAttr>(constant.getValue());
    if (!values) return {};
    const auto found = findNonFinite(values, infinity_is_legal);
    if (!found) return {};
    return invalidArgument(
        fmt::format("node '{}': '{}' has the value {} at {}, which integers cannot stand for; "
                    "repair the model, "
                    "or run it in float with --partition=cpu",
                    nameOf(op.getLoc()), nameOf(constant.getLoc()),
                    std::isnan(found->value) ? "NaN"
                    : found->value > 0       ? "infinity"
                                             : "minus infinity",
                    indexText(values.getType(), found->element)));
  };
  for (const mlir::Value operand : op.getOperands()) {
    VTA_RETURN_IF_ERROR(forEachConstant(operand, check));
  }
  return {};
}

}  // namespace

Status checkFiniteWeights(mlir::func::FuncOp main) {
  for (mlir::Operation& op : main.getBody().front()) {
    const bool has_weights =
        mlir::isa<graph::ConvOp, graph::ConvTransposeOp, graph::MatMulOp, graph::BatchNormOp>(op);
    if (!has_weights && !mlir::isa<graph::BinaryOp>(op)) continue;
    VTA_RETURN_IF_ERROR(checkOperands(op, /*infinity_is_legal=*/!has_weights));
  }
  return {};
}

}  // namespace vta::compiler
