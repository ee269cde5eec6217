#include "compiler/quantize/quantize_like.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "compiler/quantize/calibrate/fill_ranges.h"
#include "compiler/quantize/channels/constant_channels.h"
#include "compiler/quantize/emit/narrow_tables.h"
#include "compiler/quantize/emit_integers.h"
#include "compiler/quantize/float_plan.h"
#include "compiler/quantize/forget_rounding.h"
#include "compiler/quantize/plan/adopt.h"
#include "mlir/IR/BuiltinOps.h"

namespace vta::compiler {
namespace {

std::set<std::string> matmulPairsOf(const QuantizationChoices& choices) {
  std::set<std::string> pairs;
  for (const QuantizationChoices::Node& node : choices.nodes) {
    if (node.kind == QuantNode::Kind::kMatMulPair) pairs.insert(node.layer);
  }
  return pairs;
}

Status otherNetwork(const std::string& what) {
  return unsupported(
      fmt::format("the network has other layers for another number of words: {}", what));
}

/// Leaves in `plan` the chosen nodes, and gives them what was chosen. Errors: a node that is not
/// there, or is another one.
Status adoptNodes(const QuantizationChoices& choices, QuantPlan& plan, LayerMoments& moments) {
  if (plan.activations.size() != choices.scales.size()) {
    return otherNetwork(fmt::format("{} activations become integers, not {}",
                                    plan.activations.size(), choices.scales.size()));
  }
  std::map<size_t, QuantNode*> by_output;
  for (QuantNode& node : plan.nodes) {
    by_output[static_cast<size_t>(plan.indexOf(node.output))] = &node;
  }
  std::vector<QuantNode> nodes;
  for (const QuantizationChoices::Node& chosen : choices.nodes) {
    const auto found = by_output.find(chosen.output);
    const bool is_same = found != by_output.end() && found->second->kind == chosen.kind &&
                         layerNameOf(found->second->anchor) == chosen.layer &&
                         found->second->bias.size() == chosen.bias.size();
    if (!is_same) return otherNetwork(fmt::format("'{}' has no counterpart", chosen.layer));
    QuantNode& node = nodes.emplace_back(std::move(*found->second));
    node.bias = chosen.bias;
    if (chosen.moments) moments[node.anchor] = *chosen.moments;
    by_output.erase(found);
  }
  plan.nodes = std::move(nodes);
  return {};
}

/// A plan of `main` like the one that was chosen.
Result<QuantPlan> planLike(mlir::func::FuncOp main, const GivenQuantization& given,
                           const HwConfig& hw, const QuantizationChoices& choices,
                           LayerMoments& moments) {
  const std::set<std::string> pairs = matmulPairsOf(choices);
  QuantPlan plan = given.empty()
                       ? planFloatModel(main, given, hw, choices.float_layers, &pairs)
                       : planQuantization(main, {.given = &given,
                                                 .float_layers = &choices.float_layers,
                                                 .takes_matmul_pairs = takesMatMulPairs(hw),
                                                 .matmul_pairs = &pairs});
  VTA_RETURN_IF_ERROR(adoptNodes(choices, plan, moments));
  plan.exponents = choices.data.exponents;
  for (size_t i = 0; i < choices.is_wide.size(); ++i) {
    if (choices.is_wide[i]) plan.wide.insert(plan.activations[i]);
  }
  return plan;
}

/// As quantizeGraph does it, by what is known of the inputs there.
void leaveOutLikewise(mlir::func::FuncOp main, const GivenQuantization& given, const HwConfig& hw,
                      const QuantizeOptions& options, const QuantizationChoices& choices) {
  if (!given.empty()) return;
  const std::set<std::string> pairs = matmulPairsOf(choices);
  leaveOutConstantChannels(planFloatModel(main, given, hw, options.float_layers, &pairs),
                           choices.input_reach, hw);
}

}  // namespace

QuantizationChoices choicesOf(const QuantPlan& plan, const std::vector<ActivationScale>& scales,
                              const CalibrationData& data) {
  QuantizationChoices choices;
  for (const QuantNode& node : plan.nodes) {
    QuantizationChoices::Node& chosen = choices.nodes.emplace_back();
    chosen.kind = node.kind;
    chosen.layer = layerNameOf(node.anchor);
    chosen.output = static_cast<size_t>(plan.indexOf(node.output));
    chosen.bias = node.bias;
    const auto moments = data.moments.find(node.anchor);
    if (moments != data.moments.end()) chosen.moments = moments->second;
  }
  choices.scales = scales;
  for (const mlir::Value value : plan.activations) {
    choices.is_wide.push_back(plan.wide.contains(value));
  }
  choices.data.histograms = data.histograms;
  choices.data.factors = data.factors;
  choices.data.exponents = data.exponents;
  choices.data.compensates_rounding = data.compensates_rounding;
  return choices;
}

Status quantizeLike(mlir::ModuleOp module, const HwConfig& hw, const QuantizeOptions& options,
                    const QuantizationChoices& choices) {
  auto main = module.lookupSymbol<mlir::func::FuncOp>("main");
  if (!main) return internalError("quantisation: the module has no @main");
  if (choices.has_filled_ranges) {
    return unsupported("ranges that a quantised model lacks are known for one number of words");
  }
  GivenQuantization given = adoptQuantization(main, options.fills_ranges);
  if (choices.is_quantised_anew) forgetRounding(main, given);
  leaveOutLikewise(main, given, hw, options, choices);
  CalibrationData data = choices.data;
  VTA_ASSIGN_OR_RETURN(const QuantPlan plan, planLike(main, given, hw, choices, data.moments));
  if (!given.empty()) roundGivenValues(main, given, plan);
  emitIntegers(main, plan, choices.scales, data, given, hw, options, &choices.curves);
  if (given.empty()) narrowTables(main, options.float_layers);
  eraseIdentities(main);
  return {};
}

}  // namespace vta::compiler
