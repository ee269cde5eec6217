// Slices, and what is one.
#include <optional>
#include <vector>

#include "compiler/dialects/graph/constant_tensor.h"
#include "compiler/graph_passes/pass_utils.h"
#include "compiler/graph_passes/simplify/patterns.h"

namespace vta::compiler {
namespace {

using graph::Shape;
using mlir::Value;

/// Ranges of one tensor, one behind the other along `axis`: the range that they are together, and
/// none if they are no such ranges.
Value joinRanges(graph::GraphBuilder& build, Value first, Value second, size_t axis) {
  auto left = first.getDefiningOp<graph::SliceOp>(), right = second.getDefiningOp<graph::SliceOp>();
  if (!left || !right || left.getInput() != right.getInput()) return {};
  const auto is_one = [](int64_t step) { return step == 1; };
  if (!llvm::all_of(left.getSteps(), is_one) || !llvm::all_of(right.getSteps(), is_one)) return {};
  Shape extents = left.getOutput().getType().getShape().vec(), expected = left.getStarts().vec();
  expected[axis] += extents[axis];
  if (llvm::ArrayRef<int64_t>(expected) != right.getStarts()) return {};
  extents[axis] += graph::shapeOf(second)[axis];
  const Result<Value> joined =
      build.slice(left.getInput(), left.getStarts(), left.getSteps(), extents);
  return joined.ok() ? *joined : Value();
}

/// Parts of a concatenation that a split took apart and nothing changed.
class JoinWhatWasSplit : public mlir::OpRewritePattern<graph::ConcatOp> {
 public:
  using OpRewritePattern::OpRewritePattern;

  mlir::LogicalResult matchAndRewrite(graph::ConcatOp op,
                                      mlir::PatternRewriter& rewriter) const override {
    graph::GraphBuilder build = builderAt(rewriter, op);
    llvm::SmallVector<Value> parts;
    const auto axis = static_cast<size_t>(op.getAxis());
    for (const Value part : op.getInputs()) {
      const Value joined = parts.empty() ? Value() : joinRanges(build, parts.back(), part, axis);
      if (joined) parts.pop_back();
      parts.push_back(joined ? joined : part);
    }
    if (parts.size() == op.getInputs().size()) return mlir::failure();
    return replaceWith(rewriter, op, build.concat(parts, static_cast<int64_t>(axis)));
  }
};

/// The first index and the step of constant `indices` that rise in even steps; nothing if they do
/// not, or if one is outside of `extent`.
struct IndexRange {
  int64_t first = 0, step = 1, count = 0;
};
std::optional<IndexRange> matchRange(Value indices, int64_t extent) {
  mlir::DenseElementsAttr constant = graph::constantOf(indices);
  if (!constant || !constant.getElementType().isIntOrIndex()) return std::nullopt;
  std::vector<int64_t> values = graph::ConstantTensor(constant).asIntegers();
  if (values.empty()) return std::nullopt;
  for (int64_t& value : values) {
    if (value < 0) value += extent;
    if (value < 0 || value >= extent) return std::nullopt;
  }
  IndexRange range{values[0], values.size() > 1 ? values[1] - values[0] : 1, std::ssize(values)};
  if (range.step < 1) return std::nullopt;
  for (int64_t i = 0; i < range.count; ++i) {
    if (values[static_cast<size_t>(i)] != range.first + i * range.step) return std::nullopt;
  }
  return range;
}

/// gather with one constant index, or with several in even steps, is a slice.
class GatherIsSlice : public mlir::OpRewritePattern<graph::GatherOp> {
 public:
  using OpRewritePattern::OpRewritePattern;

  mlir::LogicalResult matchAndRewrite(graph::GatherOp op,
                                      mlir::PatternRewriter& rewriter) const override {
    const auto axis = static_cast<size_t>(op.getAxis());
    Shape extents = op.getInput().getType().getShape().vec(), starts(extents.size(), 0);
    const std::optional<IndexRange> range = matchRange(op.getIndices(), extents[axis]);
    if (!range) return mlir::failure();
    Shape steps(extents.size(), 1);
    starts[axis] = range->first;
    steps[axis] = range->step;
    extents[axis] = range->count;
    graph::GraphBuilder build = builderAt(rewriter, op);
    Result<Value> slice = build.slice(op.getInput(), starts, steps, extents);
    if (!slice.ok()) return mlir::failure();
    return replaceWith(rewriter, op, build.reshape(*slice, graph::shapeOf(op.getOutput())));
  }
};

}  // namespace

void addSlicePatterns(mlir::RewritePatternSet& patterns) {
  patterns.add<GatherIsSlice, JoinWhatWasSplit>(patterns.getContext());
}

}  // namespace vta::compiler
