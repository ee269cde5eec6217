// Linear interpolation by whole factors as depthwise convolutions. The import gives a resize as a
// sum of two gathers with constant weights for each axis. Where the factor is whole, all outputs of
// one phase take the same weights of neighbouring inputs, and beyond the image its edge: a
// transposed convolution of the image padded by its edge. A whole factor to a smaller image is a
// convolution with a stride.
#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "compiler/dialects/graph/constant_tensor.h"
#include "compiler/dialects/graph/graph.h"
#include "compiler/graph_passes/pass_utils.h"
#include "compiler/graph_passes/passes.h"
#include "llvm/ADT/SetVector.h"

namespace vta::compiler {

#define GEN_PASS_DEF_GRAPHREWRITERESIZEPASS
#include "compiler/graph_passes/passes.h.inc"

namespace {

using graph::BinaryOp;
using graph::GatherOp;
using graph::GraphBuilder;
using graph::Shape;
using mlir::Operation;
using mlir::Value;

constexpr double kTolerance = 1e-6;  // of weights, which float32 rounds

/// The weights of one output's inputs, by the inputs' places.
using Weights = std::map<int64_t, double>;

/// A linear function along one axis.
struct AxisMap {
  Value input;
  int64_t axis = 0;
  int64_t in = 0;
  std::vector<Weights> outputs;
};

/// One axis of a convolution, transposed where it `enlarges`.
struct AxisKernel {
  bool enlarges = false;
  int64_t factor = 1;
  std::vector<double> taps{1.0};
  int64_t edge_low = 0, edge_high = 0;  // rows or columns that the edge adds to the input
  int64_t crop_low = 0, crop_high = 0;  // of the transposed convolution's outputs

  bool isIdentity() const { return factor == 1; }
};

bool isAlike(const Weights& a, const Weights& b) {
  return std::ranges::equal(a, b, [](const auto& x, const auto& y) {
    return x.first == y.first && std::abs(x.second - y.second) <= kTolerance;
  });
}

/// Adds `value`, a gather with constant indices times constant weights, to the map. The first one
/// says what the map's input is.
bool addTerm(Value value, AxisMap& map) {
  auto product = value.getDefiningOp<BinaryOp>();
  if (!product || product.getKind() != graph::BinaryKind::mul) return false;
  const ConstantOperand factors = splitConstant(product);
  auto gather = factors.value ? factors.value.getDefiningOp<GatherOp>() : GatherOp();
  if (!gather) return false;
  const mlir::DenseElementsAttr indices = graph::constantOf(gather.getIndices());
  const auto axis = static_cast<int64_t>(gather.getAxis());
  const auto shape = graph::shapeOf(gather.getOutput());
  if (!indices || indices.getType().getRank() != 1 || shape.size() != 4 || axis < 2) return false;
  if (map.input && (map.input != gather.getInput() || map.axis != axis)) return false;
  const auto weights = valuesPerIndex(factors.constant, shape, axis);
  if (!weights || std::ssize(*weights) != shape[axis]) return false;
  map.input = gather.getInput();
  map.axis = axis;
  map.in = graph::shapeOf(gather.getInput())[axis];
  map.outputs.resize(weights->size());
  const std::vector<int64_t> places = graph::ConstantTensor(indices).asIntegers();
  for (size_t i = 0; i < places.size(); ++i) {
    const int64_t place =
        std::clamp<int64_t>(places[i] < 0 ? places[i] + map.in : places[i], 0, map.in - 1);
    if ((*weights)[i] != 0) map.outputs[i][place] += (*weights)[i];
  }
  return true;
}

/// Interpolation along rows or columns: the sum of two terms, with weights that add up to one.
std::optional<AxisMap> matchAxis(Value value) {
  auto sum = value.getDefiningOp<BinaryOp>();
  if (!sum || sum.getKind() != graph::BinaryKind::add || !graph::elementTypeOf(value).isF32()) {
    return std::nullopt;
  }
  AxisMap map;
  if (!addTerm(sum.getLhs(), map) || !addTerm(sum.getRhs(), map)) return std::nullopt;
  for (const Weights& weights : map.outputs) {
    double total = 0;
    for (const auto& [place, weight] : weights) total += weight;
    if (std::abs(total - 1) > kTolerance) return std::nullopt;
  }
  return map;
}

/// An image that becomes a whole number of times as large: the phases of an input in the middle
/// give the weights, which all other outputs have to have, too.
std::optional<AxisKernel> matchEnlarging(const AxisMap& map) {
  const int64_t out = std::ssize(map.outputs), factor = out / map.in, middle = map.in / 2;
  if (out % map.in != 0 || factor < 2) return std::nullopt;
  AxisKernel kernel{true, factor};
  Weights taps;  // by the output's place, from the input's own first one
  for (int64_t o = 0; o < out; ++o) {
    Weights expected;
    for (const auto& [place, weight] : map.outputs[middle * factor + o % factor]) {
      const int64_t offset = place - middle;
      expected[std::clamp<int64_t>(o / factor + offset, 0, map.in - 1)] += weight;
      taps[o % factor - offset * factor] = weight;
      kernel.edge_low = std::max(kernel.edge_low, -offset);
      kernel.edge_high = std::max(kernel.edge_high, offset);
    }
    if (!isAlike(expected, map.outputs[o])) return std::nullopt;
  }
  const int64_t first = taps.begin()->first, last = taps.rbegin()->first;
  kernel.taps.assign(static_cast<size_t>(last - first + 1), 0.0);
  for (const auto& [place, weight] : taps) kernel.taps[static_cast<size_t>(place - first)] = weight;
  kernel.crop_low = kernel.edge_low * factor - first;
  kernel.crop_high = (kernel.edge_high - 1) * factor + last + 1;
  if (kernel.crop_low < 0 || kernel.crop_high < 0) return std::nullopt;
  return kernel;
}

/// An image that becomes a whole number of times smaller, without its edge.
std::optional<AxisKernel> matchReducing(const AxisMap& map) {
  const int64_t out = std::ssize(map.outputs), factor = map.in / out;
  if (factor < 2) return std::nullopt;
  const Weights& taps = map.outputs.front();
  for (int64_t o = 0; o < out; ++o) {
    Weights expected;
    for (const auto& [place, weight] : taps) expected[place + o * factor] = weight;
    if (!isAlike(expected, map.outputs[o])) return std::nullopt;
  }
  AxisKernel kernel{false, factor};
  kernel.taps.assign(static_cast<size_t>(taps.rbegin()->first + 1), 0.0);
  for (const auto& [place, weight] : taps) kernel.taps[static_cast<size_t>(place)] = weight;
  return kernel;
}

/// The largest integer of the taps as multiples of one unit, the largest there is; 0 if integers up
/// to `most` do not hold them.
int64_t largestInteger(const std::vector<double>& taps, int64_t most) {
  for (int64_t units = 1; units <= most; ++units) {
    const bool are_whole = llvm::all_of(taps, [&](double tap) {
      const double multiple = tap * static_cast<double>(units);
      return std::abs(multiple - std::round(multiple)) <= kTolerance * static_cast<double>(units);
    });
    if (are_whole) {
      return std::llround(*std::ranges::max_element(taps) * static_cast<double>(units));
    }
  }
  return 0;
}

/// What becomes of an image, and which value it is.
struct Resize {
  Value input;
  AxisKernel rows, columns;

  AxisKernel& of(int64_t axis) { return axis == 2 ? rows : columns; }
};

std::optional<Resize> matchResize(Value value) {
  Resize resize{value, {}, {}};
  while (auto map = matchAxis(resize.input)) {
    AxisKernel& kernel = resize.of(map->axis);
    if (!kernel.isIdentity()) break;
    const bool is_inner = resize.input != value;
    if (is_inner && !llvm::all_of(resize.input.getUsers(), llvm::IsaPred<GatherOp>)) break;
    std::optional<AxisKernel> found = matchEnlarging(*map);
    if (!found) found = matchReducing(*map);
    if (!found) return std::nullopt;
    kernel = *found;
    resize.input = map->input;
  }
  if (resize.input == value) return std::nullopt;
  const bool is_mixed = !resize.rows.isIdentity() && !resize.columns.isIdentity() &&
                        resize.rows.enlarges != resize.columns.enlarges;
  return is_mixed ? std::nullopt : std::optional(resize);
}

//===---------------------------------- where it is worth it ----------------------------------===//

bool isContraction(Operation* op) {
  if (mlir::isa<graph::ConvOp, graph::ConvTransposeOp>(op)) return true;
  auto matmul = mlir::dyn_cast<graph::MatMulOp>(op);
  return matmul && graph::constantOf(matmul.getRhs());
}

/// What usually becomes integers between two contractions.
bool staysOnAccelerator(Operation* op) {
  return mlir::isa<graph::UnaryOp, BinaryOp, graph::ClipOp, graph::BatchNormOp, graph::ConcatOp,
                   graph::SliceOp, graph::PadOp, graph::MaxPoolOp, graph::AvgPoolOp,
                   graph::InterleaveOp, GatherOp, graph::QuantizeOp, graph::DequantizeOp>(op);
}

/// Whether a contraction is reached from `start`; `next` gives the neighbours of an operation.
template <typename Next>
bool reachesContraction(llvm::SetVector<Operation*> ops, Next next) {
  for (size_t i = 0; i < ops.size(); ++i) {
    if (isContraction(ops[i])) return true;
    if (!staysOnAccelerator(ops[i])) continue;
    for (Operation* neighbour : next(ops[i])) ops.insert(neighbour);
  }
  return false;
}

/// Whether the accelerator computes both what is resized and what reads it.
bool isBetweenContractions(const Resize& resize, Value value) {
  const auto producers = [](Operation* op) {
    llvm::SmallVector<Operation*> found;
    for (Value operand : op->getOperands()) {
      if (Operation* producer = operand.getDefiningOp()) found.push_back(producer);
    }
    return found;
  };
  const auto users = [](Operation* op) { return op->getUsers(); };
  Operation* producer = resize.input.getDefiningOp();
  if (!producer) return false;
  llvm::SetVector<Operation*> readers;
  for (Operation* user : value.getUsers()) readers.insert(user);
  llvm::SetVector<Operation*> sources;
  sources.insert(producer);
  return reachesContraction(sources, producers) && reachesContraction(readers, users);
}

//===------------------------------------- the rewrite ----------------------------------------===//

/// Depthwise weights [C, 1, KH, KW].
Value depthwiseWeights(GraphBuilder& build, int64_t channels, const AxisKernel& rows,
                       const AxisKernel& columns) {
  std::vector<double> values;
  for (int64_t c = 0; c < channels; ++c) {
    for (const double row : rows.taps) {
      for (const double column : columns.taps) values.push_back(row * column);
    }
  }
  graph::ConstantTensor weights(
      mlir::RankedTensorType::get({channels, 1, std::ssize(rows.taps), std::ssize(columns.taps)},
                                  build.builder().getF32Type()));
  weights.setDoubles(values);
  return build.constant(weights.toAttribute());
}

Result<Value> convolve(GraphBuilder& build, Value value, const AxisKernel& rows,
                       const AxisKernel& columns) {
  const int64_t channels = graph::shapeOf(value)[1];
  const Value weights = depthwiseWeights(build, channels, rows, columns);
  const Shape kernel = {std::ssize(rows.taps), std::ssize(columns.taps)},
              factors = {rows.factor, columns.factor}, ones = {1, 1}, zeros = {0, 0};
  if (!rows.enlarges && !columns.enlarges) {
    return build.conv(value, weights, {}, {kernel, factors, Shape{0, 0, 0, 0}, ones}, channels);
  }
  const Shape low = {0, 0, rows.edge_low, columns.edge_low},
              high = {0, 0, rows.edge_high, columns.edge_high};
  VTA_ASSIGN_OR_RETURN(value, build.pad(value, low, high, graph::PadMode::edge, 0));
  const Shape crops = {rows.crop_low, columns.crop_low, rows.crop_high, columns.crop_high};
  return build.convTranspose(value, weights, {}, {kernel, factors, crops, ones}, zeros, channels);
}

/// For reports: the layer is still what the model calls it.
void nameResize(Value value) {
  Operation* op = value.getDefiningOp();
  op->setAttr(graph::kOperatorAttr, mlir::StringAttr::get(op->getContext(), "Resize"));
}

class GraphRewriteResizePass : public impl::GraphRewriteResizePassBase<GraphRewriteResizePass> {
 public:
  using GraphRewriteResizePassBase::GraphRewriteResizePassBase;

  void runOnOperation() final {
    // From the last one on, so that both axes of a resize are found together.
    llvm::SmallVector<BinaryOp> sums(getOperation().getOps<BinaryOp>());
    for (BinaryOp sum : llvm::reverse(sums)) {
      if (sum->use_empty()) continue;
      const std::optional<Resize> resize = matchResize(sum.getOutput());
      if (!resize || !isBetweenContractions(*resize, sum.getOutput())) continue;
      mlir::OpBuilder builder(sum);
      GraphBuilder build(builder, sum.getLoc(), graph::Folding::kAll);
      const Result<Value> value = rewrite(build, *resize);
      if (value.ok()) sum.getOutput().replaceAllUsesWith(*value);
    }
  }

 private:
  /// Both axes at once, if integers hold the products of their weights, else one after the other.
  Result<Value> rewrite(GraphBuilder& build, const Resize& resize) const {
    const int64_t most = largest_weight;
    const int64_t row = largestInteger(resize.rows.taps, most),
                  column = largestInteger(resize.columns.taps, most);
    if (row == 0 || column == 0) return unsupported("its weights are no small integers");
    if (row * column <= most)
      return named(convolve(build, resize.input, resize.rows, resize.columns));
    if (resize.input.getDefiningOp<graph::DequantizeOp>()) {
      return unsupported("a quantised model does not say how rows are rounded");
    }
    VTA_ASSIGN_OR_RETURN(const Value rows, named(convolve(build, resize.input, resize.rows, {})));
    return named(convolve(build, rows, {}, resize.columns));
  }

  static Result<Value> named(Result<Value> value) {
    if (value.ok()) nameResize(*value);
    return value;
  }
};

}  // namespace

}  // namespace vta::compiler
