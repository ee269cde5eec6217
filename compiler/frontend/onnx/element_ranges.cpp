#include "compiler/frontend/onnx/element_ranges.h"

#include <algorithm>
#include <optional>

#include "compiler/dialects/graph/constant_tensor.h"
#include "compiler/dialects/graph/graph.h"
#include "compiler/dialects/graph/graph_builder.h"

namespace vta::compiler {
namespace {

using mlir::Value;
using Ranges = std::vector<Range>;

/// Shapes and positions have few elements, and are computed in few steps.
constexpr int64_t kMostElements = 64;
constexpr int kMostSteps = 64;

int64_t saturated(__int128 value) {
  const Range all;
  return static_cast<int64_t>(std::clamp<__int128>(value, all.low, all.high));
}

/// All results of `function` on the ends of both ranges; for functions that are monotone in each.
template <typename Function>
Range overEnds(const Range& x, const Range& y, Function function) {
  const __int128 values[] = {function(x.low, y.low), function(x.low, y.high),
                             function(x.high, y.low), function(x.high, y.high)};
  return {saturated(*std::ranges::min_element(values)),
          saturated(*std::ranges::max_element(values))};
}

Range combined(graph::BinaryKind kind, const Range& x, const Range& y) {
  using graph::BinaryKind;
  using Wide = __int128;
  switch (kind) {
    case BinaryKind::add:
      return overEnds(x, y, [](Wide a, Wide b) { return a + b; });
    case BinaryKind::sub:
      return overEnds(x, y, [](Wide a, Wide b) { return a - b; });
    case BinaryKind::mul:
      return overEnds(x, y, [](Wide a, Wide b) { return a * b; });
    case BinaryKind::min:
      return {std::min(x.low, y.low), std::min(x.high, y.high)};
    case BinaryKind::max:
      return {std::max(x.low, y.low), std::max(x.high, y.high)};
    case BinaryKind::div:
      if (y.low <= 0) return {};
      return overEnds(x, y, [](Wide a, Wide b) { return a / b; });
    default:
      return {};
  }
}

class Analysis {
 public:
  explicit Analysis(const llvm::DenseMap<Value, int64_t>& most) : most_(most) {}

  Ranges of(Value value, int depth = 0) const {
    const auto type = mlir::dyn_cast<mlir::RankedTensorType>(value.getType());
    if (!type || !type.getElementType().isIntOrIndex() || type.getNumElements() > kMostElements) {
      return {};
    }
    Ranges unknown(type.getNumElements());
    if (const mlir::DenseElementsAttr constant = graph::constantOf(value)) {
      Ranges exact;
      for (const int64_t element : graph::ConstantTensor(constant).asIntegers()) {
        exact.push_back(Range::exactly(element));
      }
      return exact;
    }
    if (const auto known = most_.find(value); known != most_.end()) return {{0, known->second}};
    mlir::Operation* op = value.getDefiningOp();
    if (op == nullptr || depth >= kMostSteps) return unknown;
    const std::optional<Ranges> found = ofOp(op, type, depth + 1);
    return found && std::ssize(*found) == type.getNumElements() ? *found : unknown;
  }

 private:
  std::optional<Ranges> ofOp(mlir::Operation* op, mlir::RankedTensorType type, int depth) const {
    if (mlir::isa<graph::ReshapeOp, graph::CheckIndicesOp>(op)) return of(op->getOperand(0), depth);
    if (mlir::isa<graph::CastOp>(op)) return narrowed(of(op->getOperand(0), depth), type);
    if (auto concat = mlir::dyn_cast<graph::ConcatOp>(op)) {
      if (type.getRank() != 1) return std::nullopt;
      Ranges all;
      for (const Value input : concat.getInputs()) {
        const Ranges part = of(input, depth);
        all.insert(all.end(), part.begin(), part.end());
      }
      return all;
    }
    if (auto slice = mlir::dyn_cast<graph::SliceOp>(op)) return ofSlice(slice, type, depth);
    if (auto gather = mlir::dyn_cast<graph::GatherOp>(op)) return ofGather(gather, depth);
    if (auto binary = mlir::dyn_cast<graph::BinaryOp>(op)) {
      return pairwise(
          of(binary.getLhs(), depth), of(binary.getRhs(), depth), type,
          [&](const Range& x, const Range& y) { return combined(binary.getKind(), x, y); });
    }
    if (auto where = mlir::dyn_cast<graph::WhereOp>(op)) {
      return pairwise(of(where.getOperand(1), depth), of(where.getOperand(2), depth), type,
                      [](const Range& x, const Range& y) {
                        return Range{std::min(x.low, y.low), std::max(x.high, y.high)};
                      });
    }
    if (mlir::isa<graph::ExpandOp>(op)) {
      const Ranges input = of(op->getOperand(0), depth);
      if (input.size() == 1) return Ranges(type.getNumElements(), input[0]);
    }
    return std::nullopt;
  }

  /// Casts between integers keep what fits the type.
  static Ranges narrowed(Ranges ranges, mlir::RankedTensorType type) {
    const unsigned bits = type.getElementTypeBitWidth();
    for (Range& range : ranges) {
      const bool fits = bits == 64 || (bits == 32 && range.low >= 0 &&
                                       range.high <= std::numeric_limits<int32_t>::max());
      if (!fits) range = {};
    }
    return ranges;
  }

  std::optional<Ranges> ofSlice(graph::SliceOp slice, mlir::RankedTensorType type,
                                int depth) const {
    if (type.getRank() != 1) return std::nullopt;
    const Ranges input = of(slice.getInput(), depth);
    Ranges part;
    for (int64_t i = 0; i < type.getNumElements(); ++i) {
      const int64_t at = slice.getStarts()[0] + i * slice.getSteps()[0];
      if (at < 0 || at >= std::ssize(input)) return std::nullopt;
      part.push_back(input[at]);
    }
    return part;
  }

  std::optional<Ranges> ofGather(graph::GatherOp gather, int depth) const {
    const Ranges input = of(gather.getInput(), depth), indices = of(gather.getIndices(), depth);
    if (graph::shapeOf(gather.getInput()).size() != 1 || input.empty()) return std::nullopt;
    Ranges part;
    for (const Range& index : indices) {
      if (!index.isExact()) return std::nullopt;
      const int64_t at = index.low < 0 ? index.low + std::ssize(input) : index.low;
      part.push_back(input[std::clamp<int64_t>(at, 0, std::ssize(input) - 1)]);
    }
    return part;
  }

  /// Of tensors of the result's size, or of one element.
  template <typename Function>
  static std::optional<Ranges> pairwise(const Ranges& lhs, const Ranges& rhs,
                                        mlir::RankedTensorType type, Function function) {
    const auto fits = [&](const Ranges& side) {
      return side.size() == 1 || std::ssize(side) == type.getNumElements();
    };
    if (type.getRank() > 1 || !fits(lhs) || !fits(rhs)) return std::nullopt;
    Ranges result;
    for (int64_t i = 0; i < type.getNumElements(); ++i) {
      result.push_back(function(lhs[lhs.size() == 1 ? 0 : i], rhs[rhs.size() == 1 ? 0 : i]));
    }
    return result;
  }

  const llvm::DenseMap<Value, int64_t>& most_;
};

}  // namespace

std::vector<Range> elementRanges(Value value, const llvm::DenseMap<Value, int64_t>& most) {
  return Analysis(most).of(value);
}

}  // namespace vta::compiler
