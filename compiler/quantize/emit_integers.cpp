#include "compiler/quantize/emit_integers.h"

#include <algorithm>

#include "compiler/dialects/graph/graph.h"
#include "compiler/quantize/emit/contraction.h"
#include "compiler/quantize/emit/functions/tables.h"
#include "compiler/quantize/emit/matmul_pair.h"
#include "compiler/quantize/emit/products.h"
#include "compiler/quantize/emit/state.h"
#include "compiler/quantize/emit/sums.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace vta::compiler {
namespace {

using mlir::Value;
using Kind = QuantNode::Kind;

// Twice the channels: each one's high part is followed by its low part (wide_steps.h).
mlir::RankedTensorType wideType(Value moved) {
  const auto type = mlir::cast<mlir::RankedTensorType>(moved.getType());
  llvm::SmallVector<int64_t> shape(type.getShape());
  shape[1] *= 2;
  return type.clone(shape);
}

// The same integers in another place.
Value emitMove(EmitState& state, const QuantNode& node, EmitBuilder& build) {
  mlir::IRMapping mapping;
  for (Value input : node.inputs) mapping.map(input, state.integers(input));
  mlir::Operation* moved = build.cloneAsInt8(node.anchor, mapping, node.inputs);
  if (auto pad = mlir::dyn_cast<graph::PadOp>(moved)) {
    pad.setValue(llvm::APFloat(static_cast<double>(state.params(node.output).zero_point)));
  }
  Value result = moved->getResult(0);
  if (state.isWide(node.output)) result.setType(wideType(result));
  return result;
}

Value emitNode(EmitState& state, const QuantNode& node, std::vector<RescaledWeights>& rescaled) {
  EmitBuilder build(node.anchor->getLoc(), node.last);
  build.setChannelAxis(mlir::cast<mlir::RankedTensorType>(node.output.getType()).getRank() == 4);
  switch (node.kind) {
    case Kind::kConv:
    case Kind::kMatMul:
      return emitContraction(state, node, build, rescaled);
    case Kind::kMatMulPair:
      return emitMatMulPair(state, node, build);
    case Kind::kAvgPool:
      return emitAveragePool(state, node, build);
    case Kind::kAdd:
      return emitSum(state, node, build);
    case Kind::kProduct:
      return emitProduct(state, node, build);
    case Kind::kClip:
      return emitClip(state, node, build);
    case Kind::kTable:
      return emitTable(state, node, build);
    case Kind::kMove:
      return emitMove(state, node, build);
  }
  return {};
}

// Removes what nobody uses, from the function and from `emitted`.
void eraseDead(mlir::func::FuncOp function, EmittedIntegers& emitted) {
  std::vector<Value>& integers = emitted.integers;
  mlir::Block& block = function.getBody().front();
  for (mlir::Operation& op : llvm::make_early_inc_range(llvm::reverse(block))) {
    if (!mlir::isOpTriviallyDead(&op)) continue;
    for (Value result : op.getResults()) {
      std::replace(integers.begin(), integers.end(), result, Value());
      std::erase_if(emitted.curves, [&](const EmittedCurve& curve) {
        return curve.result == result || curve.input == result;
      });
    }
    op.erase();
  }
}

}  // namespace

EmittedIntegers emitIntegers(mlir::func::FuncOp function, const QuantPlan& plan,
                             const std::vector<ActivationScale>& scales,
                             const CalibrationData& data, const GivenQuantization& given,
                             const HwConfig& hw, const QuantizeOptions& options,
                             const std::set<size_t>* curves) {
  EmitState state(plan, scales, data, given, hw, options, curves);
  EmittedIntegers emitted;
  for (const QuantNode& node : plan.nodes) {
    state.define(node, emitNode(state, node, emitted.rescaled));
  }
  emitted.integers = std::move(state.known());
  emitted.curves = std::move(state.curves());
  eraseDead(function, emitted);
  return emitted;
}

}  // namespace vta::compiler
