#include <algorithm>

#include "compiler/graph_passes/pass_utils.h"
#include "compiler/graph_passes/passes.h"
#include "mlir/IR/IRMapping.h"

namespace vta::compiler {

#define GEN_PASS_DEF_GRAPHRAISERANKPASS
#include "compiler/graph_passes/passes.h.inc"

namespace {

using graph::Shape;
using graph::ShapeRef;
using mlir::Operation;
using mlir::Value;

/// [N, C, L] as [N, C, 1, L] or [N, C, L, 1]: `unit` is the place of the dimension that is added.
Shape withUnit(ShapeRef shape, size_t unit, int64_t value = 1) {
  Shape raised(shape.begin(), shape.end());
  raised.insert(raised.begin() + static_cast<int64_t>(unit), value);
  return raised;
}

/// The place of the row or column that `flat` lacks and `image` has with extent 1.
std::optional<size_t> unitOf(ShapeRef flat, ShapeRef image) {
  if (flat.size() != 3 || image.size() != 4) return std::nullopt;
  for (size_t unit = 2; unit < 4; ++unit) {
    if (std::ranges::equal(image, withUnit(flat, unit))) return unit;
  }
  return std::nullopt;
}

int64_t raisedAxis(int64_t axis, size_t unit) {
  return axis + static_cast<int64_t>(axis >= static_cast<int64_t>(unit));
}

bool isOfImages(Operation* op) {
  return mlir::isa_and_nonnull<graph::ConvOp, graph::ConvTransposeOp, graph::MaxPoolOp,
                               graph::AvgPoolOp, graph::SumPoolOp, graph::InterleaveOp>(op);
}

bool isElementwise(Operation* op) {
  return mlir::isa<graph::UnaryOp, graph::BinaryOp, graph::WhereOp, graph::ClipOp, graph::CastOp,
                   graph::QuantizeOp, graph::DequantizeOp, graph::ExpandOp>(op);
}

/// An image of four dimensions, and where it has one more than the tensor of three it stands for.
struct Raised {
  Value image;
  size_t unit;
};

/// Makes a function's ops on sequences those on images, in the order of the program.
class Raiser {
 public:
  explicit Raiser(mlir::IRRewriter& rewriter) : rewriter_(rewriter) {}

  void visit(Operation* op) {
    if (auto reshape = mlir::dyn_cast<graph::ReshapeOp>(op)) return visitReshape(reshape);
    const std::optional<size_t> unit = unitOfOperands(op);
    if (!unit || op->getNumResults() != 1) return;
    rewriter_.setInsertionPoint(op);
    if (auto reduce = mlir::dyn_cast<graph::ReduceOp>(op)) return raiseReduce(reduce, *unit);
    if (graph::shapeOf(op->getResult(0)).size() != 3) return;
    if (Operation* image = raisedOp(op, *unit)) replace(op, image->getResult(0), *unit);
  }

 private:
  /// Where an image ends, and where a padded sequence becomes one.
  void visitReshape(graph::ReshapeOp op) {
    const ShapeRef from = graph::shapeOf(op.getInput()), to = graph::shapeOf(op.getOutput());
    if (const auto unit = unitOf(to, from); unit && isOfImages(op.getInput().getDefiningOp())) {
      raised_[op.getOutput()] = {op.getInput(), *unit};
    }
    auto pad = op.getInput().getDefiningOp<graph::PadOp>();
    const auto unit = unitOf(from, to);
    if (!unit || !pad || !pad->hasOneUse() || raised_.contains(pad.getInput())) return;
    rewriter_.setInsertionPoint(pad);
    const Value input = reshaped(pad.getInput(), *unit);
    rewriter_.replaceOp(op, padOf(pad, input, *unit)->getResult(0));
  }

  std::optional<size_t> unitOfOperands(Operation* op) const {
    for (const Value operand : op->getOperands()) {
      if (const auto found = raised_.find(operand); found != raised_.end()) {
        return found->second.unit;
      }
    }
    return std::nullopt;
  }

  /// `op` on images, or null for an op that has to see the sequence.
  Operation* raisedOp(Operation* op, size_t unit) {
    if (auto pad = mlir::dyn_cast<graph::PadOp>(op)) {
      return padOf(pad, imageOf(pad.getInput(), unit), unit);
    }
    if (auto slice = mlir::dyn_cast<graph::SliceOp>(op)) {
      Operation* image = copyOnImages(op, unit);
      setArray(image, "starts", withUnit(slice.getStarts(), unit, 0));
      setArray(image, "steps", withUnit(slice.getSteps(), unit));
      return image;
    }
    if (auto norm = mlir::dyn_cast<graph::BatchNormOp>(op)) {
      return copyOfFirst(op, imageOf(norm.getInput(), unit), unit);
    }
    if (!isElementwise(op) && !mlir::isa<graph::ConcatOp>(op)) return nullptr;
    Operation* image = copyOnImages(op, unit);
    if (auto axis = op->getAttrOfType<mlir::IntegerAttr>("axis")) {
      image->setAttr("axis", rewriter_.getI64IntegerAttr(raisedAxis(axis.getInt(), unit)));
    }
    return image;
  }

  /// A reduction of the dimension that was added, too, changes nothing: so all of an image is
  /// reduced where all of a sequence was.
  void raiseReduce(graph::ReduceOp op, size_t unit) {
    Shape axes = {static_cast<int64_t>(unit)};
    for (const int64_t axis : op.getAxes()) axes.push_back(raisedAxis(axis, unit));
    llvm::sort(axes);
    graph::GraphBuilder build(rewriter_, op.getLoc(), graph::Folding::kAll);
    const Result<Value> reduced =
        build.reduce(op.getKind(), imageOf(op.getInput(), unit), axes, true);
    if (!reduced.ok()) return;
    if (graph::shapeOf(op.getOutput()).size() == 3) return replace(op, *reduced, unit);
    const Result<Value> flat = build.reshape(*reduced, graph::shapeOf(op.getOutput()));
    if (flat.ok()) rewriter_.replaceOp(op, *flat);
  }

  Operation* padOf(graph::PadOp pad, Value input, size_t unit) {
    Operation* image = copyOfFirst(pad, input, unit);
    setArray(image, "low", withUnit(pad.getLow(), unit, 0));
    setArray(image, "high", withUnit(pad.getHigh(), unit, 0));
    return image;
  }

  /// `op` on an image in the place of its first operand; the others stay as they are.
  Operation* copyOfFirst(Operation* op, Value image, size_t unit) {
    mlir::IRMapping mapping;
    mapping.map(op->getOperand(0), image);
    return withImageType(rewriter_.clone(*op, mapping), unit);
  }

  Operation* copyOnImages(Operation* op, size_t unit) {
    mlir::IRMapping mapping;
    for (const Value operand : op->getOperands()) mapping.map(operand, imageOf(operand, unit));
    return withImageType(rewriter_.clone(*op, mapping), unit);
  }

  Operation* withImageType(Operation* op, size_t unit) {
    const mlir::RankedTensorType type = graph::tensorType(op->getResult(0));
    op->getResult(0).setType(type.clone(mlir::ArrayRef<int64_t>(withUnit(type.getShape(), unit))));
    return op;
  }

  void setArray(Operation* op, llvm::StringRef name, const Shape& values) {
    op->setAttr(name, rewriter_.getDenseI64ArrayAttr(values));
  }

  /// `value` as an image; one that is broadcast along rows or columns gets them with extent 1.
  Value imageOf(Value value, size_t unit) {
    if (const auto found = raised_.find(value);
        found != raised_.end() && found->second.unit == unit) {
      return found->second.image;
    }
    return reshaped(value, unit);
  }

  Value reshaped(Value value, size_t unit) {
    const ShapeRef shape = graph::shapeOf(value);
    const bool is_along_columns = shape.size() == 1 && unit == 2;
    if (shape.empty() || is_along_columns) return value;
    Shape flat(3 - shape.size(), 1);
    flat.insert(flat.end(), shape.begin(), shape.end());
    graph::GraphBuilder build(rewriter_, value.getLoc(), graph::Folding::kAll);
    return *build.reshape(value, withUnit(flat, unit));
  }

  void replace(Operation* op, Value image, size_t unit) {
    graph::GraphBuilder build(rewriter_, op->getLoc(), graph::Folding::kNone);
    const Value flat = *build.reshape(image, graph::shapeOf(op->getResult(0)));
    raised_[flat] = {image, unit};
    rewriter_.replaceOp(op, flat);
  }

  mlir::IRRewriter& rewriter_;
  llvm::DenseMap<Value, Raised> raised_;
};

class GraphRaiseRankPass : public impl::GraphRaiseRankPassBase<GraphRaiseRankPass> {
  void runOnOperation() override {
    mlir::IRRewriter rewriter(&getContext());
    getOperation()->walk([&](mlir::Block* block) {
      Raiser raiser(rewriter);
      for (Operation& op : llvm::make_early_inc_range(*block)) raiser.visit(&op);
    });
  }
};

}  // namespace

}  // namespace vta::compiler
