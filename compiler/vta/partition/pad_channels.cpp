// vta-pad-channels: constant channels that an image between kernels gets are made by a kernel.
//
// Residual blocks that widen (BlazeFace, MediaPipe, ResNets of option A) fill the channels that are
// missing with zeros. Packed channels lie in blocks, so a host would unpack and pack all of the
// image for that.
#include <algorithm>

#include "compiler/dialects/graph/graph.h"
#include "compiler/dialects/graph/graph_builder.h"
#include "compiler/dialects/vta/shape.h"
#include "compiler/dialects/vta/vta.h"
#include "compiler/vta/partition/group.h"
#include "compiler/vta/passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace vta::compiler {

#define GEN_PASS_DEF_PADCHANNELSPASS
#include "compiler/vta/passes.h.inc"

namespace {

using mlir::RankedTensorType;
using mlir::Value;

/// Whether `pad` adds constant channels to an int8 image, and does nothing else.
bool addsChannels(graph::PadOp pad) {
  const llvm::ArrayRef<int64_t> low = pad.getLow(), high = pad.getHigh();
  if (pad.getMode() != graph::PadMode::constant || pad->hasAttr(kAnyValueAttr)) return false;
  if (low.size() != 4 || !graph::elementTypeOf(pad.getOutput()).isSignlessInteger(8)) return false;
  for (size_t d = 0; d < 4; ++d) {
    const bool fits = d == 1 ? low[d] >= 0 && high[d] >= 0 : low[d] == 0 && high[d] == 0;
    if (!fits) return false;
  }
  return true;
}

template <typename T>
Value tensorConstant(mlir::OpBuilder& builder, mlir::Location loc, llvm::ArrayRef<int64_t> shape,
                     mlir::Type type, const std::vector<T>& values) {
  return builder.create<mlir::arith::ConstantOp>(
      loc,
      mlir::DenseElementsAttr::get(RankedTensorType::get(shape, type), llvm::ArrayRef<T>(values)));
}

/// A 1x1 convolution: filters with a single one give the image's channels, those without weights
/// their bias. It multiplies nothing that the network asks for, and rounds nothing.
Value padByConvolution(graph::PadOp pad) {
  mlir::OpBuilder builder(pad);
  const mlir::Location loc = pad.getLoc();
  auto type = mlir::cast<RankedTensorType>(pad.getOutput().getType());
  const int64_t channels = graph::shapeOf(pad.getInput())[1], filters = type.getDimSize(1);
  const int64_t first = pad.getLow()[1];
  std::vector<int8_t> weights(static_cast<size_t>(filters * channels));
  std::vector<int32_t> bias(static_cast<size_t>(filters),
                            static_cast<int32_t>(pad.getValue().convertToDouble()));
  for (int64_t c = 0; c < channels; ++c) {
    weights[static_cast<size_t>((first + c) * channels + c)] = 1;
    bias[static_cast<size_t>(first + c)] = 0;
  }
  const RankedTensorType sums = type.clone(builder.getI32Type());
  const llvm::SmallVector<int64_t> ones{1, 1}, zeros{0, 0, 0, 0};
  const Value weight =
      tensorConstant(builder, loc, {filters, channels, 1, 1}, builder.getI8Type(), weights);
  Value bias_value;
  if (std::ranges::any_of(bias, [](int32_t x) { return x != 0; })) {
    bias_value = tensorConstant(builder, loc, {filters}, builder.getI32Type(), bias);
  }
  auto conv = builder.create<graph::ConvOp>(loc, sums, pad.getInput(), weight, bias_value, ones,
                                            zeros, ones, 1, 0);
  conv->setAttr(kMacsAttr, builder.getI64IntegerAttr(0));
  conv->setAttr(graph::kOperatorAttr, builder.getStringAttr("Pad"));
  auto clip = builder.create<graph::ClipIntOp>(loc, sums, conv, -128, 127);
  auto padded = builder.create<graph::CastOp>(loc, type, clip);
  padded->setDiscardableAttrs(pad->getDiscardableAttrDictionary());
  padded->setAttr(graph::kOperatorAttr, builder.getStringAttr("Pad"));
  return padded;
}

class PadChannelsPass : public impl::PadChannelsPassBase<PadChannelsPass> {
 public:
  void runOnOperation() override {
    auto main = getOperation().lookupSymbol<mlir::func::FuncOp>("main");
    if (!main) return;
    for (auto pad : llvm::make_early_inc_range(main.getOps<graph::PadOp>())) {
      if (!addsChannels(pad) || !mayComeFromKernels(pad.getInput()) ||
          !mayGoToKernels(pad.getOutput())) {
        continue;
      }
      pad.getOutput().replaceAllUsesWith(padByConvolution(pad));
      pad.erase();
    }
  }
};

}  // namespace

}  // namespace vta::compiler
