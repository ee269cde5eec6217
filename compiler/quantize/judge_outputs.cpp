#include "compiler/quantize/judge_outputs.h"

#include <algorithm>
#include <cmath>

#include "compiler/dialects/graph/graph.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace vta::compiler {
namespace {

using mlir::Value;

/// Samples that outputs are judged by, and those that layers are ranked by.
constexpr size_t kJudgedSamples = 8, kRankedSamples = 2;
/// With less noise than this, 20 dB below the outputs, nobody asks where it is from.
constexpr double kUnaskedNoise = 1e-2;
/// What the noise has to sink to for data to leave the accelerator: 1 dB.
constexpr double kWorthCrossing = 0.8;
constexpr size_t kMostNamed = 3;

Result<double> noiseOf(mlir::ModuleOp module, const OutputError& error,
                       const codegen::CodeOptions& code) {
  VTA_ASSIGN_OR_RETURN(ActivationRun run, ActivationRun::create(module, realOutputs(module), code));
  return error.meanOf(run, kJudgedSamples);
}

/// Lets a table give what `curve` gives; returns the table's result.
Value replaceByTable(const EmittedCurve& curve) {
  Value result = curve.result;
  mlir::Operation* last = result.getDefiningOp();
  Value table = EmitBuilder(last->getLoc(), last).table(curve.input, curve.entries);
  for (const mlir::NamedAttribute attribute : last->getDiscardableAttrs()) {
    table.getDefiningOp()->setAttr(attribute.getName(), attribute.getValue());
  }
  result.replaceAllUsesWith(table);
  return table;
}

void eraseUnread(mlir::ModuleOp module) {
  auto main = module.lookupSymbol<mlir::func::FuncOp>("main");
  for (mlir::Operation& op : llvm::make_early_inc_range(llvm::reverse(main.getBody().front()))) {
    if (mlir::isOpTriviallyDead(&op)) op.erase();
  }
}

/// Takes tables for all curves if that is worth it.
Status tryTables(mlir::ModuleOp module, const OutputError& error, const codegen::CodeOptions& code,
                 EmittedIntegers& emitted, double& noise, int64_t& replaced) {
  std::vector<Value> tables;
  for (const EmittedCurve& curve : emitted.curves) tables.push_back(replaceByTable(curve));
  VTA_ASSIGN_OR_RETURN(const double exact, noiseOf(module, error, code));
  const bool is_worthwhile = exact < kWorthCrossing * noise;
  for (size_t i = 0; i < tables.size(); ++i) {
    Value curve = emitted.curves[i].result;
    if (is_worthwhile) {
      std::replace(emitted.integers.begin(), emitted.integers.end(), curve, tables[i]);
    } else {
      tables[i].replaceAllUsesWith(curve);
      tables[i].getDefiningOp()->erase();
    }
  }
  if (!is_worthwhile) return {};
  eraseUnread(module);
  noise = exact;
  replaced = std::ssize(tables);
  emitted.curves.clear();
  return {};
}

Result<std::vector<std::string>> worstLayers(OutputError& error,
                                             const std::vector<ActivationScale>& scales,
                                             const NamedActivations& layers) {
  std::vector<std::pair<double, std::string>> ranking;
  int64_t runs = error.affordableRuns();
  for (const auto& [name, activation] : layers) {
    if ((runs -= static_cast<int64_t>(kRankedSamples)) < 0) break;
    VTA_ASSIGN_OR_RETURN(const double damage, error.meanOfOne(scales, activation, kRankedSamples));
    ranking.emplace_back(-damage, name);
  }
  std::ranges::stable_sort(ranking, {}, &std::pair<double, std::string>::first);
  std::vector<std::string> names;
  for (const auto& [damage, name] : ranking) {
    if (names.size() < kMostNamed && !llvm::is_contained(names, name)) names.push_back(name);
  }
  return names;
}

}  // namespace

NamedActivations namedActivations(const QuantPlan& plan) {
  NamedActivations layers;
  for (const QuantNode& node : plan.nodes) {
    const std::string name = layerNameOf(node.anchor);
    if (node.kind == QuantNode::Kind::kMove || name.empty()) continue;
    layers.emplace_back(name, static_cast<size_t>(plan.indexOf(node.output)));
  }
  return layers;
}

Status judgeOutputs(mlir::ModuleOp module, OutputError& error, bool may_replace,
                    const std::vector<ActivationScale>& scales, const NamedActivations& layers,
                    const codegen::CodeOptions& code, EmittedIntegers& emitted,
                    QuantizeReport& report) {
  double noise = 0;
  // Without curves, what activations lose says enough, and needs no code.
  if (emitted.curves.empty()) {
    VTA_ASSIGN_OR_RETURN(noise, error.meanOfAll(scales, kJudgedSamples));
  } else {
    VTA_ASSIGN_OR_RETURN(noise, noiseOf(module, error, code));
  }
  report.curves = std::ssize(emitted.curves);
  if (noise > kUnaskedNoise && may_replace && !emitted.curves.empty()) {
    VTA_RETURN_IF_ERROR(tryTables(module, error, code, emitted, noise, report.replaced_curves));
  }
  if (!std::isfinite(noise)) return {};  // a network whose outputs cannot be compared
  report.output_noise = noise;
  if (noise <= kMostOutputNoise) return {};
  VTA_ASSIGN_OR_RETURN(report.worst_layers, worstLayers(error, scales, layers));
  return {};
}

}  // namespace vta::compiler
