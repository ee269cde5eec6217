// Element-wise operations between kernels work on packed tensors.
#include "base/integer_math.h"
#include "compiler/dialects/graph/graph.h"
#include "compiler/vta/common/pack_layout.h"
#include "compiler/vta/common/pack_patterns.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"

namespace vta::compiler {

namespace {

using mlir::DenseElementsAttr;
using mlir::RankedTensorType;
using mlir::Value;

RankedTensorType typeOf(Value value) { return mlir::cast<RankedTensorType>(value.getType()); }

/// Where a plain tensor of rank 4 or 2 has its channels.
constexpr int64_t kChannelAxis = 1;

bool isElementwise(mlir::Operation* op) {
  if (!op || op->getNumResults() != 1) return false;
  if (auto quantize = mlir::dyn_cast<graph::QuantizeOp>(op))
    return quantize.getScales().size() == 1;
  if (auto dequantize = mlir::dyn_cast<graph::DequantizeOp>(op)) {
    return dequantize.getScales().size() == 1;
  }
  return mlir::isa<graph::UnaryOp, graph::BinaryOp, graph::WhereOp, graph::ClipOp, graph::CastOp,
                   graph::QmulOp, graph::ShrOp, graph::ClipIntOp, graph::TableOp>(op);
}

DenseElementsAttr constantOf(Value value) {
  DenseElementsAttr constant;
  return mlir::matchPattern(value, mlir::m_Constant(&constant)) ? constant : DenseElementsAttr();
}

/// The shape of `constant` with 1s in front, to `rank` dimensions.
llvm::SmallVector<int64_t> extended(RankedTensorType constant, int64_t rank) {
  llvm::SmallVector<int64_t> shape(static_cast<size_t>(rank - constant.getRank()), 1);
  shape.append(constant.getShape().begin(), constant.getShape().end());
  return shape;
}

/// One value, or one for each channel.
bool isPackableConstant(DenseElementsAttr constant, RankedTensorType full) {
  const auto type = mlir::cast<RankedTensorType>(constant.getType());
  if (constant.isSplat() || type.getNumElements() == 1) return true;
  if (type.getRank() > full.getRank() || type.getElementTypeBitWidth() % 8 != 0) return false;
  for (const auto [d, extent] : llvm::enumerate(extended(type, full.getRank()))) {
    if (extent != 1 && static_cast<int64_t>(d) != kChannelAxis) return false;
  }
  return true;
}

/// The tensor itself, or an image of one pixel for each of its own.
bool isPackableVariable(Value value, RankedTensorType full) {
  const RankedTensorType type = typeOf(value);
  if (type.getShape() == full.getShape()) return true;
  return full.getRank() == 4 && type.getRank() == 4 && type.getDimSize(0) == full.getDimSize(0) &&
         type.getDimSize(1) == full.getDimSize(1) &&
         (type.getDimSize(2) == 1 || type.getDimSize(2) == full.getDimSize(2)) &&
         (type.getDimSize(3) == 1 || type.getDimSize(3) == full.getDimSize(3));
}

/// `constant`'s channels in blocks, so that it broadcasts to packed tensors; lanes past the last
/// channel repeat it.
DenseElementsAttr packedConstant(DenseElementsAttr constant, int64_t block) {
  const auto type = mlir::cast<RankedTensorType>(constant.getType());
  const mlir::Type element = type.getElementType();
  if (constant.isSplat()) return constant.resizeSplat(RankedTensorType::get({1}, element));
  const llvm::ArrayRef<char> bytes = constant.getRawData();
  const int64_t channels = type.getNumElements(), blocks = ceilDiv(channels, block);
  const int64_t width_bytes = element.getIntOrFloatBitWidth() / 8;
  std::vector<char> packed;
  for (int64_t lane = 0; lane < blocks * block; ++lane) {
    const auto from = bytes.slice(static_cast<size_t>(std::min(lane, channels - 1) * width_bytes),
                                  static_cast<size_t>(width_bytes));
    packed.insert(packed.end(), from.begin(), from.end());
  }
  return DenseElementsAttr::getFromRawBuffer(
      RankedTensorType::get({1, blocks, 1, 1, 1, block}, element), packed);
}

/// Tables of channels, in blocks.
DenseElementsAttr packedTables(DenseElementsAttr tables, int64_t block) {
  const auto type = mlir::cast<RankedTensorType>(tables.getType());
  const int64_t channels = type.getDimSize(0), blocks = ceilDiv(channels, block);
  const auto shape =
      RankedTensorType::get({blocks, block, graph::kTableEntries}, type.getElementType());
  if (tables.isSplat()) return tables.resizeSplat(shape);
  const llvm::ArrayRef<char> bytes = tables.getRawData();
  std::vector<char> packed;
  for (int64_t lane = 0; lane < blocks * block; ++lane) {
    const auto from =
        bytes.slice(static_cast<size_t>(std::min(lane, channels - 1) * graph::kTableEntries),
                    graph::kTableEntries);
    packed.insert(packed.end(), from.begin(), from.end());
  }
  return DenseElementsAttr::getFromRawBuffer(shape, packed);
}

/// Rebuilds a tree of element-wise ops on packed tensors.
class PackedTree {
 public:
  PackedTree(mlir::PatternRewriter& rewriter, PackLayout layout)
      : rewriter_(rewriter), layout_(layout) {}

  Value build(Value value) {
    if (const auto known = built_.find(value); known != built_.end()) return known->second;
    mlir::Operation* op = value.getDefiningOp();
    const bool is_inner = !elementOperands(op).empty() && packsForFree(value, layout_);
    return built_[value] = is_inner ? rebuild(op) : packed(value);
  }

  Value rebuild(mlir::Operation* op) {
    Value result = op->getResult(0);
    const RankedTensorType type = typeOf(result);
    llvm::SmallVector<Value> operands;
    llvm::SmallVector<int64_t> axes;
    for (auto [i, operand] : llvm::enumerate(op->getOperands())) {
      DenseElementsAttr constant = constantOf(operand);
      if (!constant) {
        operands.push_back(build(operand));
      } else if (mlir::isa<graph::TableOp>(op) && i == 1) {
        const bool is_per_channel = typeOf(operand).getRank() == 2;
        if (is_per_channel) {
          constant = packedTables(constant, layout_.block);
          axes = {1, 5};
        }
        operands.push_back(create(operand.getLoc(), constant));
      } else {
        operands.push_back(create(operand.getLoc(), packedConstant(constant, layout_.block)));
      }
    }
    mlir::Operation* copy = rewriter_.clone(*op);
    copy->setOperands(operands);
    copy->getResult(0).setType(packedType(type, layout_.batch, layout_.block));
    if (auto table = mlir::dyn_cast<graph::TableOp>(copy)) table.setAxes(axes);
    return copy->getResult(0);
  }

 private:
  Value create(mlir::Location loc, DenseElementsAttr constant) {
    return rewriter_.create<mlir::arith::ConstantOp>(loc, constant);
  }
  Value packed(Value value) {
    return rewriter_.create<PackOp>(value.getLoc(),
                                    packedType(typeOf(value), layout_.batch, layout_.block), value);
  }

  mlir::PatternRewriter& rewriter_;
  PackLayout layout_;
  llvm::DenseMap<Value, Value> built_;
};

struct PackOfElementwise : mlir::OpRewritePattern<PackOp> {
  using OpRewritePattern::OpRewritePattern;

  mlir::LogicalResult matchAndRewrite(PackOp pack, mlir::PatternRewriter& rewriter) const override {
    mlir::Operation* op = pack.getInput().getDefiningOp();
    const PackLayout layout = PackLayout::of(pack);
    if (elementOperands(op).empty() || !packsForFree(pack.getInput(), layout)) {
      return mlir::failure();
    }
    rewriter.setInsertionPoint(op);  // in front of all users
    Value packed = PackedTree(rewriter, layout).rebuild(op);
    rewriter.replaceOp(pack, packed);
    // Who wants the plain tensor unpacks what is there, instead of computing it once more.
    if (op->use_empty()) return mlir::success();
    rewriter.replaceOpWithNewOp<UnpackOp>(op, op->getResult(0).getType(), packed);
    return mlir::success();
  }
};

}  // namespace

llvm::SmallVector<Value> elementOperands(mlir::Operation* op) {
  if (!isElementwise(op)) return {};
  const RankedTensorType full = typeOf(op->getResult(0));
  if (full.getRank() != 4 && full.getRank() != 2) return {};
  llvm::SmallVector<Value> variables;
  for (auto [i, operand] : llvm::enumerate(op->getOperands())) {
    const DenseElementsAttr constant = constantOf(operand);
    const bool is_table = mlir::isa<graph::TableOp>(op) && i == 1;
    if (is_table && constant) {
      const auto axes = mlir::cast<graph::TableOp>(op).getAxes();
      if (axes.size() > 1 || (axes.size() == 1 && axes[0] != kChannelAxis)) return {};
    } else if (constant) {
      if (!isPackableConstant(constant, full)) return {};
    } else if (is_table || !isPackableVariable(operand, full)) {
      return {};
    } else {
      variables.push_back(operand);
    }
  }
  return variables;
}

void populatePackElementwisePatterns(mlir::RewritePatternSet& patterns) {
  patterns.add<PackOfElementwise>(patterns.getContext());
}

}  // namespace vta::compiler
