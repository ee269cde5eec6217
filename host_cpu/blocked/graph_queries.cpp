#include "host_cpu/blocked/graph_queries.h"

#include <algorithm>

#include "host_cpu/blocked/weights.h"

namespace vta::codegen::blocked {

using namespace mlir;

bool isImage(Value value) {
  RankedTensorType type = typeOf(value);
  return type.getRank() == 4 && type.getElementType().isF32();
}

Layout imageLayout(Value value) {
  ArrayRef<int64_t> shape = typeOf(value).getShape();
  return {shape[0], shape[1], shape[2], shape[3]};
}

std::optional<std::vector<float>> channelConstant(Value value, int64_t channels, bool is_dense) {
  std::optional<Tensor> constant = floatConstant(value);
  if (!constant) return std::nullopt;
  const auto numbers = constant->as<float>();
  if (numbers.size() == 1) return std::vector<float>(channels, numbers[0]);
  const int64_t rank = static_cast<int64_t>(constant->shape.size());
  const int64_t axis = is_dense ? rank - 1 : rank - 3;
  if (static_cast<int64_t>(numbers.size()) != channels || axis < 0 ||
      constant->shape[axis] != channels) {
    return std::nullopt;
  }
  return std::vector<float>(numbers.begin(), numbers.end());
}

std::optional<Activation> activationOf(Operation* op) {
  if (auto clip = dyn_cast<graph::ClipOp>(op)) {
    return Activation{Activation::Kind::kClip, clip.getMin().convertToDouble(),
                      clip.getMax().convertToDouble()};
  }
  auto unary = dyn_cast<graph::UnaryOp>(op);
  if (!unary) return std::nullopt;
  if (unary.getKind() == graph::UnaryKind::relu) return Activation{Activation::Kind::kRelu};
  if (unary.getKind() == graph::UnaryKind::leaky_relu) {
    return Activation{Activation::Kind::kLeakyRelu, unary.getAlpha().convertToDouble()};
  }
  return std::nullopt;
}

std::string layerName(Location location) {
  if (auto named = dyn_cast<NameLoc>(location)) return named.getName().str();
  if (auto fused = dyn_cast<FusedLoc>(location)) {
    for (Location part : fused.getLocations()) {
      if (std::string name = layerName(part); !name.empty()) return name;
    }
  }
  return "";
}

bool windowsOverlap(Value input, Value output, ArrayRef<int64_t> kernel, ArrayRef<int64_t> strides,
                    ArrayRef<int64_t> pads) {
  for (int d = 0; d < 2; ++d) {
    const int64_t last = (typeOf(output).getDimSize(2 + d) - 1) * strides[d] - pads[d];
    if (pads[d] < 0 || pads[d] >= kernel[d] || last >= typeOf(input).getDimSize(2 + d)) {
      return false;
    }
  }
  return true;
}

bool isBlockedPool(graph::MaxPoolOp pool) {
  return llvm::all_of(pool.getDilations(), [](int64_t d) { return d == 1; }) &&
         windowsOverlap(pool.getInput(), pool.getOutput(), pool.getKernel(), pool.getStrides(),
                        pool.getPads());
}

PoolSpec poolSpec(graph::MaxPoolOp pool) {
  PoolSpec spec;
  spec.kernel = {pool.getKernel()[0], pool.getKernel()[1]};
  spec.strides = {pool.getStrides()[0], pool.getStrides()[1]};
  spec.pads = {pool.getPads()[0], pool.getPads()[1]};
  spec.counted_pads = {};
  return spec;
}

bool isDepthwise(graph::ConvOp conv) {
  const int64_t group = static_cast<int64_t>(conv.getGroup());
  return group > 1 && group == typeOf(conv.getInput()).getDimSize(1) &&
         group == typeOf(conv.getWeight()).getDimSize(0);
}

void setWindow(graph::ConvOp conv, ConvSpec& spec) {
  spec.depthwise = isDepthwise(conv);
  const RankedTensorType weight = typeOf(conv.getWeight());
  spec.kernel = {weight.getDimSize(2), weight.getDimSize(3)};
  spec.strides = {conv.getStrides()[0], conv.getStrides()[1]};
  spec.dilations = {conv.getDilations()[0], conv.getDilations()[1]};
  spec.pads = {conv.getPads()[0], conv.getPads()[1]};
}

bool isBlockedConv(graph::ConvOp conv) {
  if (!isImage(conv.getInput()) || !isFloatConstant(conv.getWeight())) return false;
  if (conv.getBias() && !isFloatConstant(conv.getBias())) return false;
  if (llvm::any_of(conv.getPads(), [](int64_t pad) { return pad < 0; })) return false;
  return static_cast<int64_t>(conv.getGroup()) == 1 || isDepthwise(conv);
}

std::array<int64_t, 4> haloOf(Value value) {
  std::array<int64_t, 4> halo = {0, 0, 0, 0};
  for (OpOperand& use : value.getUses()) {
    auto conv = dyn_cast<graph::ConvOp>(use.getOwner());
    if (!conv || use.getOperandNumber() != 0 || !isBlockedConv(conv)) continue;
    for (int side = 0; side < 4; ++side) halo[side] = std::max(halo[side], conv.getPads()[side]);
  }
  return halo;
}

int64_t packedBlock(Value value) {
  const int64_t channels = typeOf(value).getDimSize(1);
  if (channels >= kBlock) return kBlock;
  for (OpOperand& use : value.getUses()) {
    auto conv = dyn_cast<graph::ConvOp>(use.getOwner());
    if (!conv || use.getOperandNumber() != 0 || !isBlockedConv(conv) || isDepthwise(conv)) {
      return kBlock;
    }
  }
  return channels;
}

}  // namespace vta::codegen::blocked
