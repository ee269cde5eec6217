#include "compiler/vta/partition/first_layer.h"

#include "base/integer_math.h"
#include "compiler/dialects/graph/work.h"
#include "compiler/dialects/vta/vta.h"
#include "compiler/vta/common/constants.h"
#include "compiler/vta/partition/group.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"

namespace vta::compiler {

namespace {

using mlir::RankedTensorType;
using mlir::Value;
using Extents = llvm::SmallVector<int64_t>;

/// Each of so many taps may have a copy of its own: longer ones take too long to compile.
constexpr int64_t kFewTaps = 16;

/// Builds one rewritten form. Padding becomes explicit: the host writes the elements anyway.
class FirstLayerRewriter {
 public:
  explicit FirstLayerRewriter(graph::ConvOp op)
      : op_(op), builder_(op), loc_(op.getLoc()), weights_(*readBytes(op.getWeight())) {
    const auto input = mlir::cast<RankedTensorType>(op.getInput().getType()).getShape();
    const auto weight = mlir::cast<RankedTensorType>(op.getWeight().getType()).getShape();
    const auto output = mlir::cast<RankedTensorType>(op.getType()).getShape();
    batch_ = input[0];
    channels_ = input[1];
    in_height_ = input[2];
    in_width_ = input[3];
    out_channels_ = weight[0];
    kernel_height_ = weight[2];
    kernel_width_ = weight[3];
    out_height_ = output[2];
    out_width_ = output[3];
    stride_y_ = op.getStrides()[0];
    stride_x_ = op.getStrides()[1];
  }

  void spaceToDepth() {
    const int64_t rows = ceilDiv(kernel_height_, stride_y_),
                  columns = ceilDiv(kernel_width_, stride_x_);
    const int64_t height = out_height_ + rows - 1, width = out_width_ + columns - 1;
    Value image = framed(height * stride_y_, width * stride_x_);
    image = reshape(image, {batch_, channels_, height, stride_y_, width, stride_x_});
    image = transpose(image, {0, 1, 3, 5, 2, 4});
    const int64_t channels = channels_ * stride_y_ * stride_x_;
    image = reshape(image, {batch_, channels, height, width});
    replace(image, {out_channels_, channels, rows, columns}, {1, 1},
            [&](int64_t c, int64_t ky, int64_t kx) -> Extents {
              return {c / stride_x_ % stride_y_ + ky * stride_y_, c % stride_x_ + kx * stride_x_,
                      c / (stride_x_ * stride_y_)};
            });
  }

  /// Channels (kx, c): what each output column sees of a row.
  void windowRows() {
    const int64_t height = (out_height_ - 1) * stride_y_ + kernel_height_;
    const Value rows = kernel_width_ <= kFewTaps ? fewTaps(height) : manyTaps(height);
    replace(rows, {out_channels_, channels_ * kernel_width_, kernel_height_, 1}, {stride_y_, 1},
            [&](int64_t c, int64_t ky, int64_t) -> Extents {
              return {ky, c / channels_, c % channels_};
            });
  }

  /// Channels (ky, kx, c).
  void wholeWindows() {
    Value image = framed((out_height_ - 1) * stride_y_ + kernel_height_,
                         (out_width_ - 1) * stride_x_ + kernel_width_);
    llvm::SmallVector<Value> taps;
    for (int64_t ky = 0; ky < kernel_height_; ++ky) {
      for (int64_t kx = 0; kx < kernel_width_; ++kx) {
        taps.push_back(slice(image, {0, 0, ky, kx}, {1, 1, stride_y_, stride_x_},
                             {batch_, channels_, out_height_, out_width_}));
      }
    }
    const int64_t channels = channels_ * kernel_height_ * kernel_width_;
    replace(concat(taps), {out_channels_, channels, 1, 1}, {1, 1},
            [&](int64_t c, int64_t, int64_t) -> Extents {
              const int64_t tap = c / channels_;
              return {tap / kernel_width_, tap % kernel_width_, c % channels_};
            });
  }

 private:
  RankedTensorType typed(llvm::ArrayRef<int64_t> shape) {
    return RankedTensorType::get(shape, builder_.getI8Type());
  }
  Value reshape(Value value, llvm::ArrayRef<int64_t> shape) {
    return builder_.create<graph::ReshapeOp>(loc_, typed(shape), value);
  }
  Value transpose(Value value, llvm::ArrayRef<int64_t> permutation) {
    const auto from = mlir::cast<RankedTensorType>(value.getType()).getShape();
    Extents shape;
    for (int64_t d : permutation) shape.push_back(from[static_cast<size_t>(d)]);
    return builder_.create<graph::TransposeOp>(loc_, typed(shape), value, permutation);
  }
  Value slice(Value value, llvm::ArrayRef<int64_t> starts, llvm::ArrayRef<int64_t> steps,
              llvm::ArrayRef<int64_t> shape) {
    return builder_.create<graph::SliceOp>(loc_, typed(shape), value, starts, steps);
  }
  Value concat(llvm::ArrayRef<Value> parts) {
    Extents shape(mlir::cast<RankedTensorType>(parts.front().getType()).getShape());
    shape[1] *= static_cast<int64_t>(parts.size());
    return builder_.create<graph::ConcatOp>(loc_, typed(shape), parts, 1);
  }

  /// One strided slice of the image for each tap.
  Value fewTaps(int64_t height) {
    Value image = framed(height, (out_width_ - 1) * stride_x_ + kernel_width_);
    llvm::SmallVector<Value> taps;
    for (int64_t kx = 0; kx < kernel_width_; ++kx) {
      taps.push_back(slice(image, {0, 0, 0, kx}, {1, 1, 1, stride_x_},
                           {batch_, channels_, height, out_width_}));
    }
    return concat(taps);
  }

  /// The same by as many moves for any number of taps. Tap q * stride + r of a row is element q of
  /// the row's phase r. Elements 0, 1, 2 ... of a phase of `length`, elements 1, 2, 3 ..., and so
  /// on are the phase repeated, read in rows of length + 1.
  Value manyTaps(int64_t height) {
    const int64_t steps = ceilDiv(kernel_width_, stride_x_), length = out_width_ + steps - 1;
    const int64_t rows = stride_x_ * channels_ * height;  // of an image
    Value image = framed(height, length * stride_x_);
    image = reshape(image, {batch_, channels_, height, length, stride_x_});
    image = transpose(image, {0, 4, 1, 2, 3});
    image = reshape(image, {batch_, rows, 1, length});
    image = builder_.create<graph::ExpandOp>(loc_, typed({batch_, rows, steps + 1, length}), image);
    image = reshape(image, {batch_, rows, (steps + 1) * length});
    image = slice(image, {0, 0, 0}, {1, 1, 1}, {batch_, rows, steps * (length + 1)});
    image = reshape(image, {batch_, rows, steps, length + 1});
    image = slice(image, {0, 0, 0, 0}, {1, 1, 1, 1}, {batch_, rows, steps, out_width_});
    image = transpose(image, {0, 2, 1, 3});  // (step, phase, c, row)
    const int64_t all = steps * stride_x_ * channels_, used = kernel_width_ * channels_;
    image = reshape(image, {batch_, all, height, out_width_});
    if (used == all) return image;
    return slice(image, {0, 0, 0, 0}, {1, 1, 1, 1}, {batch_, used, height, out_width_});
  }

  /// The input with its leading pads, extended or cropped to height x width. Rows and columns past
  /// the padded input are read by taps with zero weights only.
  Value framed(int64_t height, int64_t width) {
    const Extents low{0, 0, op_.getPads()[0], op_.getPads()[1]};
    const Extents high{0, 0, height - low[2] - in_height_, width - low[3] - in_width_};
    if (low[2] == 0 && low[3] == 0 && high[2] == 0 && high[3] == 0) return op_.getInput();
    return builder_.create<graph::PadOp>(
        loc_, typed({batch_, channels_, height, width}), op_.getInput(), low, high,
        graph::PadMode::constant,
        llvm::APFloat(static_cast<double>(static_cast<int64_t>(op_.getPadValue()))));
  }

  /// The new convolution; `source` maps its weight's (c, ky, kx) to the old one's (ky, kx, c),
  /// outside of which it is zero.
  template <typename Source>
  void replace(Value image, llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<int64_t> strides,
               Source source) {
    std::vector<int8_t> weights;
    for (int64_t o = 0; o < shape[0]; ++o) {
      for (int64_t c = 0; c < shape[1]; ++c) {
        for (int64_t ky = 0; ky < shape[2]; ++ky) {
          for (int64_t kx = 0; kx < shape[3]; ++kx) {
            weights.push_back(weightAt(o, source(c, ky, kx)));
          }
        }
      }
    }
    Value weight = builder_.create<mlir::arith::ConstantOp>(
        loc_, mlir::DenseElementsAttr::get(typed(shape), llvm::ArrayRef<int8_t>(weights)));
    auto conv = builder_.create<graph::ConvOp>(loc_, op_.getType(), image, weight, op_.getBias(),
                                               strides, llvm::ArrayRef<int64_t>{0, 0, 0, 0},
                                               llvm::ArrayRef<int64_t>{1, 1}, 1, 0);
    conv->setAttr(kMacsAttr, builder_.getI64IntegerAttr(graph::countMacs(op_)));
    op_.replaceAllUsesWith(conv.getOperation());
    op_.erase();
  }

  int8_t weightAt(int64_t o, llvm::ArrayRef<int64_t> place) const {
    const int64_t ky = place[0], kx = place[1], c = place[2];
    if (ky >= kernel_height_ || kx >= kernel_width_) return 0;
    return weights_[static_cast<size_t>(
        ((o * channels_ + c) * kernel_height_ + ky) * kernel_width_ + kx)];
  }

  graph::ConvOp op_;
  mlir::OpBuilder builder_;
  mlir::Location loc_;
  std::vector<int8_t> weights_;
  int64_t batch_, channels_, in_height_, in_width_, out_channels_, kernel_height_, kernel_width_;
  int64_t out_height_, out_width_, stride_y_, stride_x_;
};

}  // namespace

FirstLayerForm chooseFirstLayerForm(int64_t channels, int64_t kernel_height, int64_t kernel_width,
                                    int64_t stride_y, int64_t stride_x, int64_t block_in) {
  const auto steps = [&](int64_t c, int64_t ky, int64_t kx) {
    return ceilDiv(c, block_in) * ky * kx;
  };
  int64_t best = steps(channels, kernel_height, kernel_width);
  FirstLayerForm form = FirstLayerForm::kAsIs;
  const auto consider = [&](FirstLayerForm candidate, int64_t cost) {
    if (cost >= best) return;
    best = cost;
    form = candidate;
  };
  if (channels >= block_in) return form;
  if (stride_y > 1 || stride_x > 1) {
    consider(FirstLayerForm::kSpaceToDepth,
             steps(channels * stride_y * stride_x, ceilDiv(kernel_height, stride_y),
                   ceilDiv(kernel_width, stride_x)));
  }
  consider(FirstLayerForm::kWindowRows, steps(channels * kernel_width, kernel_height, 1));
  const int64_t window = channels * kernel_height * kernel_width;
  if (window <= block_in) consider(FirstLayerForm::kWholeWindows, steps(window, 1, 1));
  return form;
}

void rewriteFirstLayer(graph::ConvOp op, int64_t block_in) {
  const auto weight = mlir::cast<RankedTensorType>(op.getWeight().getType()).getShape();
  FirstLayerRewriter rewriter(op);
  switch (chooseFirstLayerForm(weight[1], weight[2], weight[3], op.getStrides()[0],
                               op.getStrides()[1], block_in)) {
    case FirstLayerForm::kAsIs:
      return;
    case FirstLayerForm::kSpaceToDepth:
      return rewriter.spaceToDepth();
    case FirstLayerForm::kWindowRows:
      return rewriter.windowRows();
    case FirstLayerForm::kWholeWindows:
      return rewriter.wholeWindows();
  }
}

}  // namespace vta::compiler
