#include "compiler/quantize/calibrate/fill_ranges.h"

#include <utility>
#include <vector>

#include "compiler/dialects/graph/graph.h"
#include "compiler/quantize/calibrate/calibrate.h"
#include "compiler/quantize/calibrate/rounded_run.h"

namespace vta::compiler {
namespace {

using mlir::Operation;
using mlir::Value;

/// What would be integers if the model said nothing about rounding.
QuantPlan planAll(mlir::func::FuncOp main, const HwConfig& hw, const QuantizeOptions& options) {
  return planQuantization(main, {nullptr, &options.float_layers, takesMatMulPairs(hw)});
}

bool multiplies(const QuantNode& node) {
  using Kind = QuantNode::Kind;
  return node.kind == Kind::kConv || node.kind == Kind::kMatMul || node.kind == Kind::kMatMulPair;
}

/// Operands of products of two activations. Another zero point would be work for the host.
llvm::DenseSet<Value> operandsOfPairs(const QuantPlan& plan) {
  llvm::DenseSet<Value> operands;
  for (const QuantNode& node : plan.nodes) {
    if (node.kind == QuantNode::Kind::kMatMulPair) {
      operands.insert(node.inputs.begin(), node.inputs.end());
    }
  }
  return operands;
}

/// `value` is rounded as one of its readers is, if there is one that changes nothing else. Those
/// that round in the same way read it directly then.
bool roundAsReader(Value value, GivenQuantization& given) {
  std::optional<QuantParams> params;
  for (Operation* user : llvm::make_early_inc_range(value.getUsers())) {
    const QuantParams* own = isIdentity(*user) ? given.find(user->getResult(0)) : nullptr;
    if (!own || (params && !(*own == *params))) continue;
    params = *own;
    given.activations.erase(user->getResult(0));
    user->getResult(0).replaceAllUsesWith(value);
    user->erase();
  }
  if (params) given.activations[value] = *params;
  return params.has_value();
}

/// The other side of a move of integers.
bool roundAsMove(Value value, GivenQuantization& given) {
  const auto take = [&](const QuantParams* params) {
    if (params) given.activations[value] = QuantParams(*params);
    return params != nullptr;
  };
  Operation* producer = value.getDefiningOp();
  if (producer && isIntegerMove(producer) && take(given.find(producer->getOperand(0)))) return true;
  return llvm::any_of(value.getUsers(), [&](Operation* user) {
    return isIntegerMove(user) && take(given.find(user->getResult(0)));
  });
}

/// Takes from `open` what its neighbours say.
void askNeighbours(std::vector<Value>& open, GivenQuantization& given) {
  std::erase_if(open, [&](Value value) { return roundAsReader(value, given); });
  while (std::erase_if(open, [&](Value value) { return roundAsMove(value, given); }) > 0) {
  }
}

/// An output keeps everything that was seen, as that of a float model does.
bool isOutput(Value value) {
  return llvm::any_of(value.getUsers(), llvm::IsaPred<mlir::func::ReturnOp>);
}

}  // namespace

bool takesMatMulPairs(const HwConfig& hw) { return hw.params().wgt_width_bits == 8; }

bool splitsNormalisation(const HwConfig& hw) {
  const HwParams& params = hw.params();
  return !params.ext_lut && params.ext_qmul && !params.compat_0_0_2;
}

UnroundedLayers countUnroundedLayers(mlir::func::FuncOp main, const HwConfig& hw,
                                     const QuantizeOptions& options, const QuantPlan& plan) {
  llvm::DenseSet<Operation*> planned;
  for (const QuantNode& node : plan.nodes) planned.insert(node.anchor);
  UnroundedLayers layers;
  for (const QuantNode& node : planAll(main, hw, options).nodes) {
    if (!multiplies(node) || planned.contains(node.anchor)) continue;
    const bool has_16_bits = isRoundedTo16Bits(node.output) ||
                             (node.residual && isRoundedTo16Bits(node.residual)) ||
                             llvm::any_of(node.inputs, isRoundedTo16Bits);
    ++(has_16_bits ? layers.of_16_bits : layers.without_rounding);
  }
  return layers;
}

Status fillRanges(mlir::ModuleOp module, mlir::func::FuncOp main, const HwConfig& hw,
                  const QuantizeOptions& options, const Progress& progress,
                  GivenQuantization& given) {
  std::vector<Value> open;
  llvm::DenseSet<Value> pairs;
  {
    const QuantPlan all = planAll(main, hw, options);
    pairs = operandsOfPairs(all);
    llvm::copy_if(all.activations, std::back_inserter(open),
                  [&](Value value) { return !given.find(value); });
  }
  given.is_filled = true;
  askNeighbours(open, given);
  if (open.empty()) return {};

  QuantPlan rest;
  for (const Value value : open) {
    rest.activation_index[value] = static_cast<int>(rest.activations.size());
    rest.activations.push_back(value);
  }
  VTA_ASSIGN_OR_RETURN(ActivationRun run, createRoundedRun(module, rest, given, options.code));
  VTA_ASSIGN_OR_RETURN(const CalibrationData data,
                       calibrate(run, rest, options.samples, MomentOrder::kFirst, progress));
  const CalibrationMethod method =
      options.method == CalibrationMethod::kAuto ? CalibrationMethod::kPercentile : options.method;
  for (size_t i = 0; i < open.size(); ++i) {
    const ValueRange range =
        data.histograms[i].choose(isOutput(open[i]) ? CalibrationMethod::kMinMax : method);
    const bool is_operand = pairs.contains(open[i]);
    given.activations[open[i]] =
        chooseActivationParams(range.min, range.max, is_operand, !is_operand);
  }
  return {};
}

}  // namespace vta::compiler
