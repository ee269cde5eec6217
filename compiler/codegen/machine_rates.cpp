#include "compiler/codegen/machine_rates.h"

#include <algorithm>
#include <cmath>

#include "compiler/dialects/graph/graph.h"
#include "compiler/dialects/graph/work.h"
#include "mlir/IR/BuiltinTypes.h"

namespace vta::codegen {
namespace {

int64_t unitsOf(double seconds) { return std::llround(seconds / kSecondsPerUnit); }

int64_t bytesOf(mlir::TypeRange types) {
  int64_t bytes = 0;
  for (const mlir::Type type : types) {
    const auto tensor = mlir::dyn_cast<mlir::RankedTensorType>(type);
    if (!tensor || !tensor.hasStaticShape() || !tensor.getElementType().isIntOrFloat()) continue;
    bytes += tensor.getNumElements() * ((tensor.getElementTypeBitWidth() + 7) / 8);
  }
  return bytes;
}

/// One invocation goes on with the element that it has computed.
bool joinsItsKernel(mlir::Operation* op) {
  return mlir::isa<graph::BatchNormOp, graph::BinaryOp, graph::CastOp, graph::ClipIntOp,
                   graph::ClipOp, graph::DequantizeOp, graph::QmulOp, graph::QuantizeOp,
                   graph::ReshapeOp, graph::ShrOp, graph::UnaryOp, graph::WhereOp>(op);
}

}  // namespace

int64_t costOn(const MachineRates& rates, mlir::Operation* op) {
  const auto macs = static_cast<double>(graph::countMacs(op));
  const auto bytes =
      static_cast<double>(bytesOf(op->getOperandTypes()) + bytesOf(op->getResultTypes()));
  const double work = std::max(macs / rates.macs_per_second, bytes / rates.bytes_per_second);
  return 1 + unitsOf(work + (joinsItsKernel(op) ? 0 : rates.seconds_per_launch));
}

int64_t costPerRunOn(const MachineRates& rates) { return unitsOf(rates.seconds_per_run); }

TransferCost transferCostOf(const MachineRates& rates) {
  if (rates.sharesMemory()) return {};
  return {unitsOf(rates.seconds_per_transfer),
          1 / (rates.transfer_bytes_per_second * kSecondsPerUnit)};
}

}  // namespace vta::codegen
