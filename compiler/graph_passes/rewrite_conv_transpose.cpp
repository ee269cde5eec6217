// Transposed convolutions as plain ones. Along one axis, with stride s, output o of a transposed
// convolution sums weight[k] * input[i] over s * i + dilation * k = o + pad. All outputs of one
// phase r = (o + pad) mod s see the same weights: a convolution with stride 1. The phases are the
// output channels of one convolution, which graph.interleave then puts between each other; a slice
// takes away the padding. No product with an inserted zero is computed but those that fill up the
// kernels of phases with fewer taps.
#include <algorithm>

#include "compiler/dialects/graph/constant_tensor.h"
#include "compiler/dialects/graph/evaluate.h"
#include "compiler/dialects/graph/graph.h"
#include "compiler/graph_passes/pass_utils.h"
#include "compiler/graph_passes/passes.h"

namespace vta::compiler {

#define GEN_PASS_DEF_GRAPHREWRITECONVTRANSPOSEPASS
#include "compiler/graph_passes/passes.h.inc"

namespace {

using graph::ConvTransposeOp;
using graph::InterleaveOp;
using graph::Shape;
using graph::ShapeRef;
using mlir::Value;

/// One axis of the rewritten convolution.
struct Axis {
  int64_t stride = 1;
  int64_t kernel = 1, dilation = 1;    // of the transposed convolution
  int64_t taps = 1, tap_dilation = 1;  // of the plain one
  int64_t pad_low = 0, pad_high = 0;
  int64_t crop = 0;  // interleaved outputs before the first wanted one

  /// The tap of the plain convolution that weight `k` becomes, and the phase it belongs to.
  int64_t phaseOf(int64_t k) const { return k * dilation % stride; }
  int64_t tapOf(int64_t k) const { return taps - 1 - (stride == 1 ? k : k * dilation / stride); }
};

Axis planAxis(int64_t in, int64_t out, int64_t kernel, int64_t stride, int64_t dilation,
              int64_t pad) {
  Axis axis{stride, kernel, dilation};
  const int64_t reach = (kernel - 1) * dilation + 1;
  axis.taps = stride == 1 ? kernel : (reach + stride - 1) / stride;
  axis.tap_dilation = stride == 1 ? dilation : 1;
  const int64_t before = (axis.taps - 1) * axis.tap_dilation;  // input rows before the output's own
  // Outputs that only hold padding are not computed where the input's padding can shrink.
  const int64_t skipped = std::min(pad / stride, before);
  axis.pad_low = before - skipped;
  axis.crop = pad - skipped * stride;
  const int64_t outputs = (pad + out + stride - 1) / stride;
  axis.pad_high = std::max<int64_t>(0, outputs - in);
  return axis;
}

/// [C, O/group, KH, KW] as [group * places * O/group, C/group, taps, taps]. Taps that a phase lacks
/// are zeros: `zeros` has what stands for 0, one number or one for each index of dimension 1.
mlir::DenseElementsAttr phaseWeights(mlir::DenseElementsAttr weight, int64_t group, const Axis& y,
                                     const Axis& x, ShapeRef zeros) {
  const graph::ConstantTensor source(weight);
  const ShapeRef shape = source.shape();
  const int64_t in = shape[0] / group, out = shape[1], places = y.stride * x.stride;
  auto type = mlir::RankedTensorType::get({group * places * out, in, y.taps, x.taps},
                                          source.type().getElementType());
  const std::vector<double> from = source.asDoubles();
  std::vector<double> to(static_cast<size_t>(type.getNumElements()));
  const int64_t per_channel = std::ssize(to) / type.getDimSize(0);
  for (int64_t at = 0; at < std::ssize(to); ++at) {
    to[at] = static_cast<double>(zeros[zeros.size() == 1 ? 0 : at / per_channel % out]);
  }
  for (int64_t at = 0; at < std::ssize(from); ++at) {
    const int64_t kx = at % shape[3], ky = at / shape[3] % shape[2];
    const int64_t o = at / shape[3] / shape[2] % out, c = at / shape[3] / shape[2] / out;
    const int64_t place = y.phaseOf(ky) * x.stride + x.phaseOf(kx);
    const int64_t channel = (c / in * places + place) * out + o;
    to[((channel * in + c % in) * y.taps + y.tapOf(ky)) * x.taps + x.tapOf(kx)] = from[at];
  }
  graph::ConstantTensor result(type);
  result.setDoubles(to);
  return result.toAttribute();
}

/// The weights in their phases, quantised if they were. They pass canBePhased.
Result<Value> phased(graph::GraphBuilder& build, Value weight, int64_t group, const Axis& y,
                     const Axis& x) {
  if (const mlir::DenseElementsAttr constant = graph::constantOf(weight)) {
    return build.constant(phaseWeights(constant, group, y, x, Shape{0}));
  }
  auto dequantize = weight.getDefiningOp<graph::DequantizeOp>();
  const llvm::ArrayRef<float> scales = dequantize.getScales();
  const ShapeRef zeros = dequantize.getZeroPoints();
  const Value phases =
      build.constant(phaseWeights(graph::constantOf(dequantize.getInput()), group, y, x, zeros));
  if (scales.size() == 1) return build.dequantize(phases, scales, zeros, 0);
  std::vector<float> all_scales;
  Shape all_zeros;
  for (int64_t i = 0; i < group * y.stride * x.stride; ++i) {
    all_scales.insert(all_scales.end(), scales.begin(), scales.end());
    all_zeros.insert(all_zeros.end(), zeros.begin(), zeros.end());
  }
  return build.dequantize(phases, all_scales, all_zeros, 0);
}

/// True for constants, and for quantised constants with a scale for each output or one for all.
bool canBePhased(Value weight) {
  if (graph::constantOf(weight)) return true;
  auto dequantize = weight.getDefiningOp<graph::DequantizeOp>();
  return dequantize && graph::constantOf(dequantize.getInput()) &&
         (dequantize.getScales().size() == 1 || dequantize.getAxis() == 1);
}

/// The elements of a constant, or of a quantised one; null if `value` is neither.
mlir::DenseElementsAttr elementsOf(Value value) {
  auto dequantize = value.getDefiningOp<graph::DequantizeOp>();
  return dequantize ? graph::evaluate(dequantize) : graph::constantOf(value);
}

/// A bias for each place.
mlir::DenseElementsAttr phaseBias(mlir::DenseElementsAttr bias, int64_t group, int64_t places) {
  const std::vector<double> from = graph::ConstantTensor(bias).asDoubles();
  const int64_t out = std::ssize(from) / group;
  std::vector<double> to;
  for (int64_t at = 0; at < group * places; ++at) {
    for (int64_t o = 0; o < out; ++o) to.push_back(from[at / places * out + o]);
  }
  graph::ConstantTensor result(
      mlir::RankedTensorType::get({std::ssize(to)}, bias.getElementType()));
  result.setDoubles(to);
  return result.toAttribute();
}

class RewriteConvTranspose : public mlir::OpRewritePattern<ConvTransposeOp> {
 public:
  using OpRewritePattern::OpRewritePattern;

  mlir::LogicalResult matchAndRewrite(ConvTransposeOp op,
                                      mlir::PatternRewriter& rewriter) const override {
    const mlir::DenseElementsAttr bias =
        op.getBias() ? elementsOf(op.getBias()) : mlir::DenseElementsAttr();
    if (!canBePhased(op.getWeight()) || (op.getBias() && !bias)) return mlir::failure();
    graph::GraphBuilder build = builderAt(rewriter, op);
    auto result = rewrite(build, op, bias);
    return replaceWith(rewriter, op, result);
  }

 private:
  static Result<Value> rewrite(graph::GraphBuilder& build, ConvTransposeOp op,
                               mlir::DenseElementsAttr bias) {
    const ShapeRef in = graph::shapeOf(op.getInput()), out = graph::shapeOf(op.getOutput());
    const auto group = static_cast<int64_t>(op.getGroup());
    const ShapeRef kernel = graph::shapeOf(op.getWeight()).subspan(2);
    const auto axisOf = [&](size_t d) {
      return planAxis(in[2 + d], out[2 + d], kernel[d], op.getStrides()[d], op.getDilations()[d],
                      op.getPads()[d]);
    };
    const Axis y = axisOf(0), x = axisOf(1);
    VTA_ASSIGN_OR_RETURN(const Value phases, phased(build, op.getWeight(), group, y, x));
    const Value biases =
        bias ? build.constant(phaseBias(bias, group, y.stride * x.stride)) : Value();
    const Shape taps = {y.taps, x.taps}, strides = {1, 1},
                pads = {y.pad_low, x.pad_low, y.pad_high, x.pad_high},
                dilations = {y.tap_dilation, x.tap_dilation};
    VTA_ASSIGN_OR_RETURN(Value value, build.conv(op.getInput(), phases, biases,
                                                 {taps, strides, pads, dilations}, group));
    VTA_ASSIGN_OR_RETURN(value, build.interleave(value, Shape{y.stride, x.stride}, group, false));
    if (auto interleave = value.getDefiningOp<InterleaveOp>()) {
      // For reports: the layer is still what the model calls it, and costs what it costs there.
      mlir::Builder attributes(op.getContext());
      const int64_t macs = graph::elementCount(in) * out[1] / group * kernel[0] * kernel[1];
      const auto name = op->getAttrOfType<mlir::StringAttr>(graph::kOperatorAttr);
      interleave->setAttr(graph::kOperatorAttr,
                          name ? name : attributes.getStringAttr("ConvTranspose"));
      interleave->setAttr(graph::kMacsAttr, attributes.getI64IntegerAttr(macs));
    }
    if (std::ranges::equal(graph::shapeOf(value), out)) return value;
    return build.slice(value, Shape{0, 0, y.crop, x.crop}, Shape{1, 1, 1, 1}, out);
  }
};

/// clip(interleave(x)) = interleave(clip(x)), so that the clip meets the convolution; the same for
/// the slice behind an interleave.
template <typename Op>
struct ClipBeforeInterleave : mlir::OpRewritePattern<Op> {
  using mlir::OpRewritePattern<Op>::OpRewritePattern;

  mlir::LogicalResult matchAndRewrite(Op op, mlir::PatternRewriter& rewriter) const override {
    mlir::Operation* move = op->getOperand(0).getDefiningOp();
    if (!move || !move->hasOneUse() || !isClip(op) || !isInterleaved(move)) return mlir::failure();
    mlir::Operation* clip = rewriter.clone(*op.getOperation());
    clip->setOperand(0, move->getOperand(0));
    clip->getResult(0).setType(move->getOperand(0).getType());
    mlir::Operation* moved = rewriter.clone(*move);
    moved->setOperand(0, clip->getResult(0));
    rewriter.replaceOp(op, moved->getResults());
    return mlir::success();
  }

 private:
  static bool isClip(graph::ClipOp) { return true; }
  static bool isClip(graph::UnaryOp op) { return op.getKind() == graph::UnaryKind::relu; }
  static bool isInterleaved(mlir::Operation* op) {
    if (mlir::isa<graph::SliceOp>(op)) op = op->getOperand(0).getDefiningOp();
    return mlir::isa_and_nonnull<InterleaveOp>(op);
  }
};

class GraphRewriteConvTransposePass
    : public GraphPatternPass<
          impl::GraphRewriteConvTransposePassBase<GraphRewriteConvTransposePass>> {
  void addPatterns(mlir::RewritePatternSet& patterns) const override {
    patterns.add<RewriteConvTranspose, ClipBeforeInterleave<graph::ClipOp>,
                 ClipBeforeInterleave<graph::UnaryOp>>(patterns.getContext());
  }
};

}  // namespace

}  // namespace vta::compiler
