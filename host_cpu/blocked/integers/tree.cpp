#include "host_cpu/blocked/integers/tree.h"

#include <algorithm>

#include "compiler/dialects/graph/element_type.h"
#include "host_cpu/blocked/graph_queries.h"
#include "host_cpu/schedule/integer_finish.h"
#include "isa/spec/alu_operations.h"
#include "mlir/IR/Matchers.h"

namespace vta::codegen::blocked {
namespace {

using namespace mlir;

// A longer formula is not requantisation.
constexpr size_t kLongestFinish = 32;

bool hasInteger(Value value, unsigned width) {
  return typeOf(value).getElementType().isSignlessInteger(width);
}

std::optional<Tensor> integerConstant(Value value, DType dtype) {
  Attribute attribute;
  if (!matchPattern(value, m_Constant(&attribute)) || !isa<ElementsAttr>(attribute)) {
    return std::nullopt;
  }
  std::optional<Tensor> tensor = graph::tensorOf(cast<ElementsAttr>(attribute));
  return tensor && tensor->dtype == dtype ? tensor : std::nullopt;
}

/// One letter of integer_finish.h; 0: there is none.
char letterOf(graph::BinaryKind kind) {
  switch (kind) {
    case graph::BinaryKind::add:
      return 'a';
    case graph::BinaryKind::sub:
      return 'd';
    case graph::BinaryKind::mul:
      return 'p';
    case graph::BinaryKind::max:
      return 'u';
    case graph::BinaryKind::min:
      return 'l';
    default:
      return 0;
  }
}

class TreeFinder {
 public:
  explicit TreeFinder(graph::CastOp root)
      : root_(root),
        shape_(typeOf(root.getOutput()).getShape()),
        is_matrix_(shape_.size() == 2),
        channels_(is_matrix_           ? shape_[1]
                  : shape_.size() == 4 ? shape_[1]
                                       : 0) {}

  std::optional<IntegerTree> find() {
    if (channels_ == 0 || !hasInteger(root_.getInput(), 32) || !hasInteger(root_.getOutput(), 8)) {
      return std::nullopt;
    }
    tree_.bias.assign(static_cast<size_t>(channels_), 0);
    if (!visit(root_.getInput()) || tree_.finish.size() > kLongestFinish) return std::nullopt;
    if (tree_.images.size() > (tree_.sums ? 1 : 2)) return std::nullopt;
    if (is_matrix_ && (!tree_.sums || !tree_.images.empty())) return std::nullopt;
    for (Operation* op : tree_.ops) {
      for (Operation* user : op->getUsers()) {
        if (user != root_ && !tree_.ops.contains(user)) return std::nullopt;
      }
    }
    return std::move(tree_);
  }

 private:
  /// Appends the formula of `value`.
  bool visit(Value value) {
    Operation* op = value.getDefiningOp();
    if (visitConstant(value)) return true;
    if (!op || typeOf(value).getShape() != shape_ || !hasInteger(value, 32)) return false;
    if (auto cast = dyn_cast<graph::CastOp>(op)) return visitImage(cast.getInput());
    if (tree_.finish.size() > kLongestFinish) return false;
    tree_.ops.insert(op);
    if (isa<graph::ConvOp, graph::MatMulOp>(op)) return visitSums(op);
    if (auto binary = dyn_cast<graph::BinaryOp>(op)) return visitBinary(binary);
    if (auto qmul = dyn_cast<graph::QmulOp>(op)) {
      const auto shift = static_cast<int64_t>(qmul.getShift());
      return shift >= 0 && shift <= kMaxAluShift && visit(qmul.getInput()) &&
             visit(qmul.getMultiplier()) && append('q', {shift});
    }
    if (auto shift = dyn_cast<graph::ShrOp>(op)) {
      return isShift(shift.getAmount()) && visit(shift.getInput()) && visit(shift.getAmount()) &&
             append('r', {});
    }
    if (auto clip = dyn_cast<graph::ClipIntOp>(op)) {
      return visit(clip.getInput()) && append('k', {static_cast<int64_t>(clip.getMin()),
                                                    static_cast<int64_t>(clip.getMax())});
    }
    return false;
  }

  bool visitBinary(graph::BinaryOp op) {
    const char letter = letterOf(op.getKind());
    if (letter == 0) return false;
    // A bias is what the sums begin with.
    if (letter == 'a' && isSums(op.getLhs())) {
      if (auto bias = channelValues(op.getRhs())) {
        tree_.bias = *std::move(bias);
        return visit(op.getLhs());
      }
    }
    return visit(op.getLhs()) && visit(op.getRhs()) && append(letter, {});
  }

  /// Whether these are constants from -32 to 31.
  bool isShift(Value amount) const {
    const auto values = channelValues(amount);
    return values && std::ranges::all_of(*values, [](int32_t v) { return v >= -32 && v <= 31; });
  }

  static bool isSums(Value value) {
    return isa_and_nonnull<graph::ConvOp, graph::MatMulOp>(value.getDefiningOp());
  }

  bool visitSums(Operation* op) {
    if (tree_.sums || !op->hasOneUse()) return false;
    tree_.sums = op;
    return append('s', {});
  }

  bool visitImage(Value image) {
    if (!isByteImage(image)) return false;
    auto found = std::ranges::find(tree_.images, image);
    if (found == tree_.images.end()) found = tree_.images.insert(found, image);
    return append(found == tree_.images.begin() ? 'x' : 'y', {});
  }

  bool visitConstant(Value value) {
    std::optional<std::vector<int32_t>> values = channelValues(value);
    if (!values) return false;
    tree_.constants.push_back(*std::move(values));
    tree_.finish += 'c';
    return true;
  }

  bool append(char step, ArrayRef<int64_t> constants) {
    tree_.finish += step;
    for (const int64_t value : constants) {
      if (value != static_cast<int32_t>(value)) return false;
      tree_.constants.emplace_back(static_cast<size_t>(channels_), static_cast<int32_t>(value));
    }
    return true;
  }

  /// A constant that has one value for each channel, or for all of them.
  std::optional<std::vector<int32_t>> channelValues(Value value) const {
    if (!hasInteger(value, 32)) return std::nullopt;
    const std::optional<Tensor> constant = integerConstant(value, DType::kI32);
    if (!constant) return std::nullopt;
    const auto numbers = constant->as<int32_t>();
    const auto count = static_cast<size_t>(channels_);
    if (numbers.size() == 1) return std::vector<int32_t>(count, numbers[0]);
    const auto rank = static_cast<int64_t>(constant->shape.size());
    const int64_t axis = rank - (is_matrix_ ? 1 : 3);
    if (numbers.size() != count || axis < 0 || constant->shape[axis] != channels_) {
      return std::nullopt;
    }
    return std::vector<int32_t>(numbers.begin(), numbers.end());
  }

  graph::CastOp root_;
  ArrayRef<int64_t> shape_;
  bool is_matrix_;
  int64_t channels_;
  IntegerTree tree_;
};

}  // namespace

std::optional<IntegerTree> findIntegerTree(graph::CastOp root) { return TreeFinder(root).find(); }

bool isByteImage(Value value) { return typeOf(value).getRank() == 4 && hasInteger(value, 8); }

bool isByteConstant(Value value) {
  Attribute attribute;
  return hasInteger(value, 8) && matchPattern(value, m_Constant(&attribute)) &&
         isa<DenseElementsAttr, DenseResourceElementsAttr>(attribute);
}

}  // namespace vta::codegen::blocked
