#include "compiler/quantize/calibrate/gather_moments.h"

#include <algorithm>
#include <cmath>

#include "compiler/dialects/graph/graph.h"

namespace vta::compiler {
namespace {

using mlir::RankedTensorType;

/// More columns change the rounding of few weights.
constexpr size_t kColumns = 2048;

RankedTensorType typeOf(mlir::Value value) { return mlir::cast<RankedTensorType>(value.getType()); }

bool isContractionNode(const QuantNode& node) {
  return node.kind == QuantNode::Kind::kConv || node.kind == QuantNode::Kind::kMatMul;
}

InputMoments momentsFor(const QuantNode& node, MomentOrder order) {
  const RankedTensorType weights = typeOf(node.anchor->getOperand(1));
  auto conv = mlir::dyn_cast<graph::ConvOp>(node.anchor);
  if (!conv) return {1, weights.getDimSize(0), order};
  return {static_cast<int64_t>(conv.getGroup()),
          weights.getDimSize(1) * weights.getDimSize(2) * weights.getDimSize(3), order};
}

/// `count` of `total` numbers, evenly spread, at another place in each sample.
std::vector<int64_t> spreadPixels(int64_t total, int64_t count, size_t sample) {
  constexpr double kGoldenRatio = 0.6180339887498949;  // no two samples begin at the same place
  const double offset = std::fmod(kGoldenRatio * static_cast<double>(sample), 1.0);
  std::vector<int64_t> pixels;
  for (int64_t i = 0; i < count; ++i) {
    const double at = (static_cast<double>(i) + offset) * static_cast<double>(total);
    pixels.push_back(std::min(static_cast<int64_t>(at / static_cast<double>(count)), total - 1));
  }
  return pixels;
}

/// The inputs of one output pixel of a convolution.
class WindowReader {
 public:
  WindowReader(graph::ConvOp conv, std::span<const float> values)
      : conv_(conv),
        values_(values),
        in_(typeOf(conv.getInput()).getShape()),
        weights_(typeOf(conv.getWeight()).getShape()),
        out_(typeOf(conv.getOutput()).getShape()) {}

  int64_t pixels() const { return out_[0] * out_[2] * out_[3]; }

  /// Fills `column` with what the filters of `group` see at `pixel`: channels, rows, columns.
  void read(int64_t pixel, int64_t group, std::vector<float>& column) {
    const int64_t image = pixel / (out_[2] * out_[3]);
    const int64_t top = pixel / out_[3] % out_[2] * conv_.getStrides()[0] - conv_.getPads()[0];
    const int64_t left = pixel % out_[3] * conv_.getStrides()[1] - conv_.getPads()[1];
    auto next = column.begin();
    for (int64_t c = 0; c < weights_[1]; ++c) {
      const int64_t plane = (image * in_[1] + group * weights_[1] + c) * in_[2];
      for (int64_t ky = 0; ky < weights_[2]; ++ky) {
        const int64_t y = top + ky * conv_.getDilations()[0];
        for (int64_t kx = 0; kx < weights_[3]; ++kx) {
          const int64_t x = left + kx * conv_.getDilations()[1];
          const bool inside = y >= 0 && y < in_[2] && x >= 0 && x < in_[3];
          *next++ = inside ? values_[static_cast<size_t>((plane + y) * in_[3] + x)] : 0.0F;
        }
      }
    }
  }

 private:
  graph::ConvOp conv_;
  std::span<const float> values_;
  llvm::ArrayRef<int64_t> in_, weights_, out_;
};

void gatherWindows(graph::ConvOp conv, std::span<const float> values, size_t sample, size_t most,
                   InputMoments& moments) {
  WindowReader reader(conv, values);
  const int64_t count = std::min(reader.pixels(), static_cast<int64_t>(most));
  std::vector<float> column(static_cast<size_t>(moments.terms()));
  for (const int64_t pixel : spreadPixels(reader.pixels(), count, sample)) {
    for (int64_t group = 0; group < moments.groups(); ++group) {
      reader.read(pixel, group, column);
      moments.observe(group, column);
    }
  }
}

void gatherRows(std::span<const float> values, size_t sample, size_t most, InputMoments& moments) {
  const auto terms = static_cast<size_t>(moments.terms());
  const auto rows = static_cast<int64_t>(values.size() / terms);
  const int64_t count = std::min(rows, static_cast<int64_t>(most));
  for (const int64_t row : spreadPixels(rows, count, sample)) {
    moments.observe(0, values.subspan(static_cast<size_t>(row) * terms, terms));
  }
}

}  // namespace

MomentGatherer::MomentGatherer(const QuantPlan& plan, size_t samples, MomentOrder order)
    : pixels_per_sample_(std::max<size_t>(kColumns / std::max<size_t>(samples, 1), 1)),
      readers_(plan.activations.size()) {
  for (const QuantNode& node : plan.nodes) {
    if (!isContractionNode(node)) continue;
    readers_[static_cast<size_t>(plan.indexOf(node.inputs[0]))].push_back(&node);
    moments_.try_emplace(node.anchor, momentsFor(node, order));
  }
}

void MomentGatherer::observe(size_t activation, std::span<const float> values, size_t sample) {
  for (const QuantNode* node : readers_[activation]) {
    InputMoments& moments = moments_[node->anchor];
    if (auto conv = mlir::dyn_cast<graph::ConvOp>(node->anchor)) {
      gatherWindows(conv, values, sample, pixels_per_sample_, moments);
    } else {
      gatherRows(values, sample, pixels_per_sample_, moments);
    }
  }
}

Result<LayerMoments> gatherMoments(ActivationRun& run, const QuantPlan& plan,
                                   const std::vector<TensorMap>& samples) {
  MomentGatherer gatherer(plan, samples.size(), MomentOrder::kFirstAndSecond);
  for (size_t k = 0; k < samples.size(); ++k) {
    VTA_RETURN_IF_ERROR(run.run(samples[k]));
    for (size_t i = 0; i < plan.activations.size(); ++i) {
      gatherer.observe(i, run.values<float>(i), k);
    }
  }
  return gatherer.take();
}

}  // namespace vta::compiler
