#include "compiler/quantize/refine/correct_biases.h"

#include <fmt/format.h>

#include <algorithm>

#include "compiler/dialects/graph/graph.h"
#include "compiler/dialects/graph/work.h"
#include "compiler/quantize/calibrate/rounded_network.h"

namespace vta::compiler {
namespace {

using mlir::RankedTensorType;
using mlir::Value;

/// With fewer, the means would be those of the samples alone; more change them little.
constexpr size_t kLeastBiasSamples = 8, kMostBiasSamples = 16;
/// Multiply-accumulates that corrections may take: some five seconds of two threads.
constexpr int64_t kMostMacs = 100'000'000'000;
/// Where a clip leaves fewer of a channel's values as they are, its bias moves no further.
constexpr double kLeastShare = 0.25;

std::string biasName(size_t layer) { return fmt::format("vta.bias.{}", layer); }

struct ChannelMeans {
  std::vector<double> mean, inside;  // inside: the share of values that the clip does not move
};

class BiasCorrector {
 public:
  BiasCorrector(QuantPlan& plan, const std::vector<ActivationScale>& scales,
                const std::vector<TensorMap>& samples)
      : plan_(plan), scales_(scales) {
    for (QuantNode& node : plan.nodes) {
      if (node.kind == QuantNode::Kind::kConv || node.kind == QuantNode::Kind::kMatMul) {
        layers_.push_back(&node);
        work_ += graph::countMacs(node.anchor);
      }
    }
    const int64_t runs = kMostMacs / std::max<int64_t>(work_ * std::ssize(layers_), 1);
    const size_t count = std::min({static_cast<size_t>(runs), kMostBiasSamples, samples.size()});
    if (count < kLeastBiasSamples) return;
    for (size_t k = 0; k < count; ++k) samples_.push_back(samples[k * samples.size() / count]);
  }

  bool hasSamples() const { return !samples_.empty(); }

  Status run(mlir::ModuleOp module, const CalibrationData& data, ActivationRun& expected,
             const codegen::CodeOptions& code, const Progress& progress) {
    VTA_RETURN_IF_ERROR(gatherExpected(expected));
    mlir::IRMapping mapping;
    mlir::OwningOpRef<mlir::ModuleOp> copy = withRounding(module, plan_, data, mapping);
    std::vector<Value> results;
    for (size_t i = 0; i < layers_.size(); ++i) {
      addBias(*copy, mapping.lookup(layers_[i]->anchor), i);
      results.push_back(mapping.lookup(layers_[i]->output));
    }
    VTA_ASSIGN_OR_RETURN(ActivationRun rounded, ActivationRun::create(*copy, results, code));
    fillInputs();
    for (size_t i = 0; i < layers_.size(); ++i) {
      VTA_RETURN_IF_ERROR(correct(i, rounded));
      if (progress) progress("biases", static_cast<int64_t>(i) + 1, std::ssize(layers_));
    }
    return {};
  }

 private:
  // Adds an input of @main, one number per channel, to what `anchor` computes.
  static void addBias(mlir::ModuleOp module, mlir::Operation* anchor, size_t layer) {
    auto main = module.lookupSymbol<mlir::func::FuncOp>("main");
    mlir::OpBuilder builder(anchor->getContext());
    builder.setInsertionPointAfter(anchor);
    Value result = anchor->getResult(0);
    const auto type = mlir::cast<RankedTensorType>(result.getType());
    llvm::SmallVector<int64_t> shape(static_cast<size_t>(type.getRank()), 1);
    shape[1] = type.getDimSize(1);
    const unsigned position = main.getNumArguments();
    const auto name = builder.getNamedAttr("graph.name", builder.getStringAttr(biasName(layer)));
    main.insertArgument(position, type.clone(shape), builder.getDictionaryAttr(name),
                        main.getLoc());
    auto sum = builder.create<graph::BinaryOp>(anchor->getLoc(), type, result,
                                               main.getArgument(position), graph::BinaryKind::add);
    result.replaceAllUsesExcept(sum, sum);
  }

  void fillInputs() {
    for (TensorMap& sample : samples_) {
      for (size_t i = 0; i < scales_.size(); ++i) {
        sample[scaleName(i)] = Tensor::zeros(DType::kF32, {3});
        setRounding(sample, i, scales_[i], !plan_.wide.contains(plan_.activations[i]));
      }
      for (size_t i = 0; i < layers_.size(); ++i) {
        const auto type = mlir::cast<RankedTensorType>(layers_[i]->anchor->getResult(0).getType());
        std::vector<int64_t> shape(static_cast<size_t>(type.getRank()), 1);
        shape[1] = type.getDimSize(1);
        sample[biasName(i)] = Tensor::zeros(DType::kF32, shape);
      }
    }
  }

  Status gatherExpected(ActivationRun& expected) {
    expected_.resize(layers_.size());
    for (const TensorMap& sample : samples_) {
      VTA_RETURN_IF_ERROR(expected.run(sample));
      for (size_t i = 0; i < layers_.size(); ++i) {
        const auto index = static_cast<size_t>(plan_.indexOf(layers_[i]->output));
        observe(*layers_[i], expected.values<float>(index), expected_[i]);
      }
    }
    return {};
  }

  // Adds a sample's means.
  void observe(const QuantNode& node, std::span<const float> values, ChannelMeans& means) const {
    const auto type = mlir::cast<RankedTensorType>(node.anchor->getResult(0).getType());
    const auto channels = static_cast<size_t>(type.getDimSize(1));
    const size_t inner = values.size() / (channels * static_cast<size_t>(type.getDimSize(0)));
    means.mean.resize(channels);
    means.inside.resize(channels);
    const double weight =
        static_cast<double>(channels) / static_cast<double>(values.size() * samples_.size());
    for (size_t i = 0; i < values.size(); ++i) {
      const size_t channel = i / inner % channels;
      means.mean[channel] += weight * values[i];
      const bool inside = values[i] > node.clip_min && values[i] < node.clip_max;
      means.inside[channel] += inside ? weight : 0;
    }
  }

  Status correct(size_t layer, ActivationRun& rounded) {
    ChannelMeans actual;
    for (const TensorMap& sample : samples_) {
      VTA_RETURN_IF_ERROR(rounded.run(sample));
      observe(*layers_[layer], rounded.values<float>(layer), actual);
    }
    std::vector<float>& bias = layers_[layer]->bias;
    for (size_t c = 0; c < bias.size(); ++c) {
      const double missing = expected_[layer].mean[c] - actual.mean[c];
      const auto change = static_cast<float>(missing / std::max(actual.inside[c], kLeastShare));
      bias[c] += change;
      for (TensorMap& sample : samples_) sample[biasName(layer)].as<float>()[c] = change;
    }
    return {};
  }

  QuantPlan& plan_;
  const std::vector<ActivationScale>& scales_;
  std::vector<QuantNode*> layers_;  // contractions, in program order
  int64_t work_ = 0;                // multiply-accumulates of all of them
  std::vector<TensorMap> samples_;  // with scales and biases beside the model's inputs
  std::vector<ChannelMeans> expected_;
};

}  // namespace

Status correctBiases(mlir::ModuleOp module, QuantPlan& plan, const CalibrationData& data,
                     const std::vector<ActivationScale>& scales, ActivationRun& expected,
                     const std::vector<TensorMap>& samples, const codegen::CodeOptions& code,
                     const Progress& progress) {
  BiasCorrector corrector(plan, scales, samples);
  return corrector.hasSamples() ? corrector.run(module, data, expected, code, progress) : Status();
}

}  // namespace vta::compiler
