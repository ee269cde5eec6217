#include "compiler/quantize/calibrate/output_error.h"

#include <algorithm>
#include <limits>

#include "compiler/dialects/graph/counted_results.h"
#include "compiler/dialects/graph/graph.h"
#include "compiler/dialects/graph/graph_builder.h"
#include "compiler/dialects/graph/work.h"
#include "compiler/quantize/calibrate/rounded_network.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SetVector.h"
#include "mlir/IR/IRMapping.h"

namespace vta::compiler {
namespace {

using mlir::RankedTensorType;
using mlir::Value;

/// With fewer, a search finds what suits them alone; more change the order of candidates rarely.
constexpr size_t kMostSamples = 32;
constexpr int64_t kMostRuns = 4000;
/// Multiply-accumulates for comparing activations one by one: some five seconds.
constexpr int64_t kComparisonMacs = 100'000'000'000;

int64_t macsOf(mlir::ModuleOp module) {
  int64_t macs = 1;
  module.walk([&](mlir::Operation* op) { macs += graph::countMacs(op); });
  return macs;
}

/// Adds the floats that `value`, which was chosen by values, was chosen from: a change of the order
/// of what is chosen is no error of the network. Stops at the first choice on every way back.
void addCandidates(Value value, llvm::SetVector<Value>& outputs, llvm::DenseSet<Value>& seen) {
  mlir::Operation* op = value.getDefiningOp();
  if (op == nullptr || !seen.insert(value).second) return;
  for (Value operand : op->getOperands()) {
    auto type = mlir::dyn_cast<RankedTensorType>(operand.getType());
    if (!type || !type.getElementType().isF32() || graph::isConstant(operand)) continue;
    if (operand.getDefiningOp() == nullptr) continue;
    if (mlir::isa<graph::GatherOp>(op)) {
      outputs.insert(operand);
    } else {
      addCandidates(operand, outputs, seen);
    }
  }
}

}  // namespace

std::vector<Value> realOutputs(mlir::ModuleOp module) {
  llvm::SetVector<Value> outputs;
  llvm::DenseSet<Value> seen;
  auto main = module.lookupSymbol<mlir::func::FuncOp>("main");
  for (mlir::OpOperand& operand : main.getBody().front().getTerminator()->getOpOperands()) {
    auto type = mlir::dyn_cast<RankedTensorType>(operand.get().getType());
    if (!type || !type.getElementType().isF32()) continue;
    const size_t before = outputs.size();
    if (graph::countOf(main, operand.getOperandNumber())) {
      addCandidates(operand.get(), outputs, seen);
    }
    if (outputs.size() == before) outputs.insert(operand.get());
  }
  return {outputs.begin(), outputs.end()};
}

Result<OutputError> OutputError::create(mlir::ModuleOp module, const QuantPlan& plan,
                                        const CalibrationData& data, ActivationRun& expected,
                                        const std::vector<TensorMap>& samples,
                                        const codegen::CodeOptions& code, int64_t search_macs) {
  const size_t first = plan.activations.size(), count = realOutputs(module).size();
  mlir::IRMapping mapping;
  mlir::OwningOpRef<mlir::ModuleOp> copy = withRounding(module, plan, data, mapping);
  VTA_ASSIGN_OR_RETURN(ActivationRun run, ActivationRun::create(*copy, realOutputs(*copy), code));
  OutputError error(std::move(run));
  for (Value output : realOutputs(module)) error.parts_.push_back(partsOf(output));
  const size_t used = std::min(samples.size(), kMostSamples);
  for (size_t k = 0; k < used; ++k) {
    const TensorMap& sample = samples[k * samples.size() / used];
    VTA_RETURN_IF_ERROR(expected.run(sample));
    auto& outputs = error.outputs_.emplace_back();
    for (size_t o = 0; o < count; ++o) {
      const std::span<const float> values = expected.values<float>(first + o);
      outputs.emplace_back(values.begin(), values.end());
    }
    error.samples_.push_back(sample);
    for (size_t i = 0; i < first; ++i) {
      error.samples_.back()[scaleName(i)] = Tensor::zeros(DType::kF32, {3});
    }
  }
  const int64_t macs = macsOf(module), runs = search_macs / macs;
  error.affordable_runs_ = kComparisonMacs / macs;
  error.affordable_ = std::min(runs, kMostRuns) / static_cast<int64_t>(std::max<size_t>(used, 1));
  return error;
}

void OutputError::leaveWide(const QuantPlan& plan) {
  exact_.clear();
  for (Value value : plan.activations) exact_.push_back(plan.wide.contains(value));
}

void OutputError::setScale(size_t activation, const ActivationScale& scale, bool on) {
  if (activation < exact_.size() && exact_[activation]) on = false;
  for (TensorMap& sample : samples_) setRounding(sample, activation, scale, on);
}

Result<HalfErrors> OutputError::ofAll(const std::vector<ActivationScale>& scales) {
  for (size_t i = 0; i < scales.size(); ++i) setScale(i, scales[i], true);
  return measure();
}

Result<HalfErrors> OutputError::ofOne(const std::vector<ActivationScale>& scales, size_t only) {
  for (size_t i = 0; i < scales.size(); ++i) setScale(i, scales[i], i == only);
  return measure();
}

Result<double> OutputError::meanOfAll(const std::vector<ActivationScale>& scales, size_t samples) {
  for (size_t i = 0; i < scales.size(); ++i) setScale(i, scales[i], true);
  return mean(samples);
}

Result<double> OutputError::meanOfOne(const std::vector<ActivationScale>& scales, size_t only,
                                      size_t samples) {
  for (size_t i = 0; i < scales.size(); ++i) setScale(i, scales[i], i == only);
  return mean(samples);
}

Result<double> OutputError::mean(size_t samples) {
  const size_t used = std::min(samples_.size(), samples);
  double sum = 0;
  for (size_t k = 0; k < used; ++k) {
    VTA_ASSIGN_OR_RETURN(const double error, errorOf(k * samples_.size() / used));
    sum += error;
  }
  return sum / static_cast<double>(std::max<size_t>(used, 1));
}

Result<HalfErrors> OutputError::measure() {
  --affordable_;
  HalfErrors errors;
  for (size_t k = 0; k < samples_.size(); ++k) {
    VTA_ASSIGN_OR_RETURN(const double error, errorOf(k));
    (k % 2 == 0 ? errors.even : errors.odd) += error;
  }
  return errors;
}

Result<double> OutputError::errorOf(size_t sample) {
  VTA_RETURN_IF_ERROR(run_.run(samples_[sample]));
  return errorOfOutputs(run_, sample);
}

// Of one sample. Every output counts the same, however large its values are.
double OutputError::errorOfOutputs(const ActivationRun& run, size_t sample) const {
  double error = 0;
  for (size_t o = 0; o < outputs_[sample].size(); ++o) {
    const std::span<const float> values = run.values<float>(o);
    if (values.size() != outputs_[sample][o].size()) {
      return std::numeric_limits<double>::infinity();
    }
    error += noiseOverSignal(outputs_[sample][o], values, parts_[o]);
  }
  return error;
}

Result<double> OutputError::meanOf(ActivationRun& run, size_t samples) const {
  const size_t used = std::min(samples_.size(), samples);
  double sum = 0;
  for (size_t k = 0; k < used; ++k) {
    const size_t sample = k * samples_.size() / used;
    VTA_RETURN_IF_ERROR(run.run(samples_[sample]));
    sum += errorOfOutputs(run, sample);
  }
  return sum / static_cast<double>(std::max<size_t>(used, 1));
}

}  // namespace vta::compiler
