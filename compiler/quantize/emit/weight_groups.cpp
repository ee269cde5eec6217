#include "compiler/quantize/emit/weight_groups.h"

#include <algorithm>

#include "base/integer_math.h"
#include "compiler/dialects/graph/graph.h"
#include "compiler/quantize/common/options.h"
#include "llvm/ADT/DenseSet.h"

namespace vta::compiler {
namespace {

using mlir::Value;
using Kind = QuantNode::Kind;

// Products take so many times as long as the multiplications of their sums.
constexpr int64_t kProductsPerFactor = 8;

llvm::ArrayRef<int64_t> extentsOf(Value value) {
  return mlir::cast<mlir::RankedTensorType>(value.getType()).getShape();
}

/// Follows activations backwards to the contractions that give them.
class BlockOrder {
 public:
  BlockOrder(const QuantPlan& plan, int64_t block) : plan_(plan), block_(block) {}

  /// Whether the channels of `value` lie in their own order, without gaps between blocks.
  bool isKept(Value value) {
    if (!visited_.insert(value).second) return true;
    const auto node = std::ranges::find(plan_.nodes, value, &QuantNode::output);
    if (node == plan_.nodes.end()) return true;  // the host packs it
    if (node->kind == Kind::kConv || node->kind == Kind::kMatMul) return true;
    if (node->kind == Kind::kMatMulPair) return false;
    if (node->kind == Kind::kMove && !movesBlocks(node->anchor)) return false;
    return llvm::all_of(node->inputs, [&](Value input) { return isKept(input); });
  }

 private:
  bool movesBlocks(mlir::Operation* op) const {
    if (mlir::isa<graph::MaxPoolOp>(op)) return true;
    if (auto reshape = mlir::dyn_cast<graph::ReshapeOp>(op)) {
      return extentsOf(reshape.getInput()).size() == 4 &&
             extentsOf(reshape.getOutput()).size() == 2;
    }
    auto concat = mlir::dyn_cast<graph::ConcatOp>(op);
    if (!concat || concat.getAxis() != 1) return false;
    return llvm::all_of(concat->getOperands().drop_back(), [&](Value operand) {
      return extentsOf(operand).size() == 4 && extentsOf(operand)[1] % block_ == 0;
    });
  }

  const QuantPlan& plan_;
  const int64_t block_;
  llvm::DenseSet<Value> visited_;
};

/// Pixels of the image that a dense layer reads as a row.
int64_t flattenedPixels(Value input) {
  auto reshape = input.getDefiningOp<graph::ReshapeOp>();
  if (!reshape || extentsOf(reshape.getInput()).size() != 4) return 1;
  const llvm::ArrayRef<int64_t> image = extentsOf(reshape.getInput());
  return image[2] * image[3];
}

}  // namespace

int64_t termsOfWeightGroup(const QuantPlan& plan, const QuantNode& node, const HwParams& hw,
                           int64_t channels) {
  if (hw.wgt_width_bits == 8 || hw.compat_0_0_2 || channels == 0) return 0;
  const int64_t block = std::max(hw.block_in, hw.block_out);
  const llvm::ArrayRef<int64_t> weights = extentsOf(node.anchor->getOperand(1));
  const bool is_conv = node.kind == Kind::kConv;
  const int64_t taps = is_conv ? weights[2] * weights[3] : flattenedPixels(node.inputs[0]);
  const int64_t in_channels = is_conv ? weights[1] : weights[0] / taps;
  auto conv = mlir::dyn_cast<graph::ConvOp>(node.anchor);
  // Several of the layer's groups in a block share its accumulators' multiplications.
  if (conv && conv.getGroup() > 1 && in_channels % block != 0) return 0;
  int64_t blocks = ceilDiv(channels, block);
  if (channels == kAutomaticGroup) {
    blocks = ceilDiv(kProductsPerFactor * hw.alu_passes, taps * (block / hw.block_in));
  }
  if (blocks * block >= in_channels || !BlockOrder(plan, block).isKept(node.inputs[0])) return 0;
  return blocks * block * taps;
}

}  // namespace vta::compiler
