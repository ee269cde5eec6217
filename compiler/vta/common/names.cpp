#include "compiler/vta/common/names.h"

#include "compiler/dialects/graph/graph.h"
#include "llvm/ADT/StringExtras.h"
#include "mlir/IR/Location.h"

namespace vta::compiler {

namespace {

std::string nameOf(mlir::Location location) {
  if (auto named = mlir::dyn_cast<mlir::NameLoc>(location)) return named.getName().str();
  if (auto fused = mlir::dyn_cast<mlir::FusedLoc>(location)) {
    for (mlir::Location part : fused.getLocations()) {
      if (std::string name = nameOf(part); !name.empty()) return name;
    }
  }
  return "";
}

/// "leaky_relu" to "LeakyRelu".
std::string camelCase(llvm::StringRef name) {
  std::string out;
  bool upper = true;
  for (char c : name) {
    if (c == '_') {
      upper = true;
    } else {
      out += upper ? llvm::toUpper(c) : c;
      upper = false;
    }
  }
  return out;
}

}  // namespace

std::string layerName(mlir::Operation* op) { return nameOf(op->getLoc()); }

std::string operatorName(mlir::Operation* op) {
  if (auto name = op->getAttrOfType<mlir::StringAttr>(graph::kOperatorAttr)) return name.str();
  if (auto interleave = mlir::dyn_cast<graph::InterleaveOp>(op)) {
    return interleave.getRepeat() ? "Resize" : "DepthToSpace";
  }
  if (mlir::isa<graph::MatMulOp>(op)) return "MatMul";
  if (mlir::isa<graph::AvgPoolOp, graph::SumPoolOp>(op)) return "AveragePool";
  if (mlir::isa<graph::BatchNormOp>(op)) return "BatchNormalization";
  if (mlir::isa<graph::LrnOp>(op)) return "LRN";
  if (mlir::isa<graph::QuantizeOp>(op)) return "QuantizeLinear";
  if (mlir::isa<graph::DequantizeOp>(op)) return "DequantizeLinear";
  if (auto unary = mlir::dyn_cast<graph::UnaryOp>(op)) {
    return camelCase(graph::stringifyUnaryKind(unary.getKind()));
  }
  if (auto binary = mlir::dyn_cast<graph::BinaryOp>(op)) {
    return camelCase(graph::stringifyBinaryKind(binary.getKind()));
  }
  if (auto reduce = mlir::dyn_cast<graph::ReduceOp>(op)) {
    return "Reduce" + camelCase(graph::stringifyReduceKind(reduce.getKind()));
  }
  return camelCase(op->getName().stripDialect());
}

}  // namespace vta::compiler
