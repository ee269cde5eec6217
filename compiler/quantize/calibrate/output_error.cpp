#include "compiler/quantize/calibrate/output_error.h"

#include <fmt/format.h>

#include <algorithm>

#include "compiler/dialects/graph/counted_results.h"
#include "compiler/dialects/graph/graph.h"
#include "compiler/dialects/graph/graph_builder.h"
#include "compiler/dialects/graph/work.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SetVector.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/IRMapping.h"

namespace vta::compiler {
namespace {

using graph::BinaryKind;
using mlir::RankedTensorType;
using mlir::Value;

/// With fewer, a search finds what suits them alone; more change the order of candidates rarely.
constexpr size_t kMostSamples = 32;
/// Multiply-accumulates that a search may take: some ten seconds of two threads.
constexpr int64_t kSearchMacs = 200'000'000'000;
constexpr int64_t kMostRuns = 4000;

std::string scaleName(size_t activation) { return fmt::format("vta.scale.{}", activation); }

/// Adds the rounding of one activation behind its definition. `scale` holds scale, zero point and
/// switch.
class RoundingBuilder {
 public:
  RoundingBuilder(Value value, Value scale, const std::vector<float>& factors)
      : builder_(value.getContext()), loc_(value.getLoc()), scale_(scale), factors_(factors) {
    builder_.setInsertionPointAfterValue(value);
    if (mlir::isa<mlir::BlockArgument>(value)) {
      builder_.setInsertionPointToStart(value.getParentBlock());
    }
  }

  /// value + switch * (rounded - value).
  Value build(Value value) {
    Value steps = binary(BinaryKind::div, equalized(value, false), part(0));
    steps = builder_.create<graph::UnaryOp>(loc_, steps.getType(), steps, graph::UnaryKind::round,
                                            llvm::APFloat(0.0), llvm::APFloat(0.0));
    steps = binary(BinaryKind::add, steps, part(1));
    steps = builder_.create<graph::ClipOp>(loc_, steps.getType(), steps, llvm::APFloat(-128.0),
                                           llvm::APFloat(127.0));
    Value rounded = binary(BinaryKind::mul, binary(BinaryKind::sub, steps, part(1)), part(0));
    Value change = binary(BinaryKind::sub, equalized(rounded, true), value);
    return binary(BinaryKind::add, value, binary(BinaryKind::mul, change, part(2)));
  }

 private:
  Value binary(BinaryKind kind, Value lhs, Value rhs) {
    return builder_.create<graph::BinaryOp>(loc_, lhs.getType(), lhs, rhs, kind);
  }

  Value part(int64_t index) {
    const auto type = RankedTensorType::get({1}, builder_.getF32Type());
    return builder_.create<graph::SliceOp>(loc_, type, scale_, llvm::ArrayRef<int64_t>{index},
                                           llvm::ArrayRef<int64_t>{1});
  }

  /// Channels are enlarged before they are rounded, where equalisation says so.
  Value equalized(Value value, bool back) {
    if (factors_.empty()) return value;
    const auto type = mlir::cast<RankedTensorType>(value.getType());
    llvm::SmallVector<int64_t> shape(static_cast<size_t>(type.getRank()), 1);
    shape[1] = static_cast<int64_t>(factors_.size());
    Value factors = builder_.create<mlir::arith::ConstantOp>(
        loc_, mlir::DenseElementsAttr::get(RankedTensorType::get(shape, builder_.getF32Type()),
                                           llvm::ArrayRef<float>(factors_)));
    return binary(back ? BinaryKind::div : BinaryKind::mul, value, factors);
  }

  mlir::OpBuilder builder_;
  mlir::Location loc_;
  Value scale_;
  const std::vector<float>& factors_;
};

/// Rounds the activations of `plan` in a copy of its module.
mlir::OwningOpRef<mlir::ModuleOp> withRounding(mlir::ModuleOp module, const QuantPlan& plan,
                                               const CalibrationData& data) {
  mlir::IRMapping mapping;
  mlir::OwningOpRef<mlir::ModuleOp> copy(mlir::cast<mlir::ModuleOp>(module->clone(mapping)));
  auto main = copy->lookupSymbol<mlir::func::FuncOp>("main");
  llvm::DenseSet<mlir::Operation*> planned;
  llvm::DenseSet<Value> computed;
  for (const QuantNode& node : plan.nodes) {
    for (mlir::Operation* op : node.ops) planned.insert(mapping.lookup(op));
    computed.insert(node.output);
  }
  mlir::Builder builder(copy->getContext());
  for (size_t i = 0; i < plan.activations.size(); ++i) {
    const unsigned position = main.getNumArguments();
    main.insertArgument(position, RankedTensorType::get({3}, builder.getF32Type()),
                        builder.getDictionaryAttr(builder.getNamedAttr(
                            "graph.name", builder.getStringAttr(scaleName(i)))),
                        main.getLoc());
    Value value = mapping.lookup(plan.activations[i]);
    llvm::SmallVector<mlir::OpOperand*> uses;
    for (mlir::OpOperand& use : value.getUses()) {
      // Float users of what comes from outside read it as it is.
      if (computed.contains(plan.activations[i]) || planned.contains(use.getOwner())) {
        uses.push_back(&use);
      }
    }
    const std::vector<float> none;
    const std::vector<float>& factors = data.factors.empty() ? none : data.factors[i];
    Value rounded = RoundingBuilder(value, main.getArgument(position), factors).build(value);
    for (mlir::OpOperand* use : uses) use->set(rounded);
  }
  return copy;
}

int64_t macsOf(mlir::ModuleOp module) {
  int64_t macs = 1;
  module.walk([&](mlir::Operation* op) { macs += graph::countMacs(op); });
  return macs;
}

}  // namespace

namespace {

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
                                        const codegen::CodeOptions& code) {
  const size_t first = plan.activations.size(), count = realOutputs(module).size();
  mlir::OwningOpRef<mlir::ModuleOp> copy = withRounding(module, plan, data);
  VTA_ASSIGN_OR_RETURN(ActivationRun run, ActivationRun::create(*copy, realOutputs(*copy), code));
  OutputError error(std::move(run));
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
  const int64_t runs = kSearchMacs / macsOf(module);
  error.affordable_ = std::min(runs, kMostRuns) / static_cast<int64_t>(std::max<size_t>(used, 1));
  return error;
}

void OutputError::setScale(size_t activation, const ActivationScale& scale, bool on) {
  const std::string name = scaleName(activation);
  for (TensorMap& sample : samples_) {
    const std::span<float> values = sample[name].as<float>();
    values[0] = scale.params.scale > 0 ? static_cast<float>(scale.params.scale) : 1.0F;
    values[1] = static_cast<float>(scale.params.zero_point);
    values[2] = on && scale.params.scale > 0 ? 1.0F : 0.0F;
  }
}

Result<HalfErrors> OutputError::ofAll(const std::vector<ActivationScale>& scales) {
  for (size_t i = 0; i < scales.size(); ++i) setScale(i, scales[i], true);
  return measure();
}

Result<HalfErrors> OutputError::ofOne(const std::vector<ActivationScale>& scales, size_t only) {
  for (size_t i = 0; i < scales.size(); ++i) setScale(i, scales[i], i == only);
  return measure();
}

// Every output and sample counts the same, however large its values are.
Result<HalfErrors> OutputError::measure() {
  --affordable_;
  HalfErrors errors;
  for (size_t k = 0; k < samples_.size(); ++k) {
    VTA_RETURN_IF_ERROR(run_.run(samples_[k]));
    for (size_t o = 0; o < outputs_[k].size(); ++o) {
      double signal = 1e-30, noise = 0;
      const std::span<const float> values = run_.values<float>(o);
      for (size_t i = 0; i < values.size(); ++i) {
        const double exact = outputs_[k][o][i], difference = values[i] - exact;
        signal += exact * exact;
        noise += difference * difference;
      }
      (k % 2 == 0 ? errors.even : errors.odd) += noise / signal;
    }
  }
  return errors;
}

}  // namespace vta::compiler
