#include "compiler/quantize/emit/functions/tables.h"

#include <algorithm>
#include <cmath>

#include "compiler/dialects/graph/constant_tensor.h"
#include "compiler/dialects/graph/evaluate.h"
#include "compiler/quantize/emit/functions/alu_forms.h"
#include "compiler/quantize/emit/functions/curve_form.h"
#include "llvm/ADT/StringExtras.h"
#include "mlir/IR/Matchers.h"

namespace vta::compiler {
namespace {

using mlir::DenseElementsAttr;
using mlir::RankedTensorType;
using mlir::Value;

int64_t quantized(float real, const QuantParams& params) {
  const float steps = std::nearbyint(real / static_cast<float>(params.scale));
  const double shifted = static_cast<double>(steps) + static_cast<double>(params.zero_point);
  // Written so that NaN becomes the lowest value.
  return shifted > -128.0 ? static_cast<int64_t>(std::min(shifted, 127.0)) : -128;
}

float dequantized(int64_t integer, const QuantParams& params) {
  return static_cast<float>(integer - params.zero_point) * static_cast<float>(params.scale);
}

/// Evaluates a cone for all int8 at once: tensors of the source's rank with 256 rows, and channels
/// if a constant has them.
class ConeEvaluator {
 public:
  ConeEvaluator(const EmitState& state, const QuantNode& node) : state_(state), node_(node) {
    const auto full = mlir::cast<RankedTensorType>(node.output.getType());
    const int64_t rank = full.getRank(), axis = rank == 4 ? 1 : rank - 1;
    shape_.assign(static_cast<size_t>(rank), 1);
    shape_[0] = graph::kTableEntries;
    if (variesAlongChannels())
      shape_[static_cast<size_t>(axis)] = channels_ = full.getDimSize(axis);
  }

  ElementFunction run() {
    known_[node_.cone.source] = sourceValues();
    for (const ElementStep& step : node_.cone.steps) {
      known_[step.op->getResult(0)] = evaluate(step);
    }
    const std::vector<double> reals = graph::ConstantTensor(known_[node_.output]).asDoubles();
    ElementFunction function;
    function.channels = channels();
    function.in = state_.params(node_.cone.source);
    function.out = state_.params(node_.output);
    function.reals.resize(reals.size());
    function.entries.resize(reals.size());
    for (size_t i = 0; i < reals.size(); ++i) {
      const size_t place = i % channels() * graph::kTableEntries + i / channels();
      function.reals[place] = reals[i];
      function.entries[place] =
          static_cast<int8_t>(quantized(static_cast<float>(reals[i]), function.out));
    }
    return function;
  }

 private:
  size_t channels() const { return static_cast<size_t>(channels_); }

  bool variesAlongChannels() const {
    return llvm::any_of(node_.cone.steps, [](const ElementStep& step) {
      return llvm::any_of(step.operands, [](Value operand) {
        DenseElementsAttr constant;
        return mlir::matchPattern(operand, mlir::m_Constant(&constant)) &&
               constant.getNumElements() > 1 && !constant.isSplat();
      });
    });
  }

  RankedTensorType typed(mlir::Type element) const {
    return RankedTensorType::get(shape_, element);
  }

  DenseElementsAttr sourceValues() const {
    const mlir::Type f32 = mlir::Float32Type::get(node_.output.getContext());
    graph::ConstantTensor values(typed(f32));
    std::vector<double> reals(static_cast<size_t>(values.elementCount()));
    for (size_t i = 0; i < reals.size(); ++i) {
      const auto integer = static_cast<int64_t>(i / channels()) - graph::kTableEntries / 2;
      reals[i] = dequantized(integer, state_.params(node_.cone.source));
    }
    values.setDoubles(reals);
    return values.toAttribute();
  }

  DenseElementsAttr evaluate(const ElementStep& step) {
    llvm::SmallVector<DenseElementsAttr> operands;
    for (Value operand : step.operands) {
      DenseElementsAttr value = known_.lookup(operand);
      if (!value) mlir::matchPattern(operand, mlir::m_Constant(&value));
      // Equal values for all channels are one value here.
      if (channels_ == 1 && value.isSplat() && value.getNumElements() > 1) {
        value = value.resizeSplat(RankedTensorType::get({1}, value.getElementType()));
      }
      operands.push_back(value);
    }
    mlir::Operation* sample = step.op->cloneWithoutRegions();
    const auto type = mlir::cast<RankedTensorType>(step.op->getResult(0).getType());
    sample->getResult(0).setType(typed(type.getElementType()));
    DenseElementsAttr result = graph::evaluate(sample, operands);
    sample->destroy();
    return result ? rounded(step.op->getResult(0), result) : result;
  }

  /// What a quantised model rounds on the way.
  DenseElementsAttr rounded(Value value, DenseElementsAttr exact) const {
    const QuantParams* params = value == node_.output ? nullptr : state_.roundingOf(value);
    if (!params) return exact;
    graph::ConstantTensor values(exact);
    std::vector<double> reals = values.asDoubles();
    for (double& real : reals) {
      real = dequantized(quantized(static_cast<float>(real), *params), *params);
    }
    values.setDoubles(reals);
    return values.toAttribute();
  }

  const EmitState& state_;
  const QuantNode& node_;
  llvm::SmallVector<int64_t> shape_;
  int64_t channels_ = 1;
  llvm::DenseMap<Value, DenseElementsAttr> known_;
};

/// "Sigmoid+Mul": at most four ops.
std::string labelOf(const ElementCone& cone) {
  constexpr size_t kMostNames = 4;
  std::string label;
  for (const ElementStep& step : llvm::ArrayRef(cone.steps).take_front(kMostNames)) {
    std::string name = step.op->getName().stripDialect().str();
    if (auto unary = mlir::dyn_cast<graph::UnaryOp>(step.op)) {
      name = graph::stringifyUnaryKind(unary.getKind()).str();
    } else if (auto binary = mlir::dyn_cast<graph::BinaryOp>(step.op)) {
      name = graph::stringifyBinaryKind(binary.getKind()).str();
    }
    if (!label.empty()) label += "+";
    label += llvm::convertToCamelFromSnakeCase(name, /*capitalizeFirst=*/true);
  }
  return cone.steps.size() > kMostNames ? label + "+..." : label;
}

/// What `value` is reshaped from. A reshape moves no element, so the function may come before it:
/// there it is a step of the kernel that makes the elements.
Value beforeReshapes(Value value) {
  while (auto reshape = value.getDefiningOp<graph::ReshapeOp>()) value = reshape.getInput();
  return value;
}

}  // namespace

Value emitTable(EmitState& state, const QuantNode& node, EmitBuilder& build) {
  ElementFunction function = ConeEvaluator(state, node).run();
  // A quantised model says what the integers are; those of a float model are ours to choose.
  function.may_differ = (state.given().empty() || state.given().is_filled) &&
                        state.options().curves != CurvePlace::kHost;
  const CalibrationData& data = state.data();
  const auto source = static_cast<size_t>(state.plan().indexOf(node.cone.source));
  if (data.compensates_rounding && source < data.histograms.size()) {  // of typical inputs
    function.shares = data.histograms[source].shares(function.in.scale, function.in.zero_point);
  }
  Value input = state.integers(node.cone.source);
  if (function.channels == 1) input = beforeReshapes(input);
  // Where the ALU has a table, that is one operation; the forms are several.
  const bool has_table = state.hw().ext_lut && function.channels == 1;
  Value result = has_table ? Value() : emitAluForm(build, input, function, state.hw());
  if (!result && !has_table && function.may_differ) {
    result = emitCurve(build, input, function, state.hw(), state.curvePlaceOf(node.output));
    const auto output = static_cast<size_t>(state.plan().indexOf(node.output));
    if (result) state.curves().push_back({input, result, function.entries, output});
  }
  if (!result) result = build.table(input, function.entries);
  result.getDefiningOp()->setAttr(graph::kOperatorAttr,
                                  mlir::StringAttr::get(result.getContext(), labelOf(node.cone)));
  return build.reshape(result, mlir::cast<RankedTensorType>(node.output.getType()).getShape());
}

}  // namespace vta::compiler
