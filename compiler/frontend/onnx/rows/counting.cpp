#include "compiler/frontend/onnx/rows/counting.h"

#include <fmt/format.h>

#include <limits>
#include <set>

#include "llvm/ADT/APInt.h"
#include "mlir/IR/BuiltinTypes.h"

namespace vta::compiler {

using graph::BinaryKind;
using graph::Shape;
using mlir::Value;

namespace {

/// Compares computations, each pair of values once.
class Comparison {
 public:
  bool areSame(Value a, Value b) {
    if (a == b || known_.contains({a.getAsOpaquePointer(), b.getAsOpaquePointer()})) return true;
    mlir::Operation *x = a.getDefiningOp(), *y = b.getDefiningOp();
    const bool comparable =
        x && y && x->getName() == y->getName() && x->getNumRegions() == 0 &&
        x->getNumOperands() == y->getNumOperands() && a.getType() == b.getType() &&
        x->getAttrDictionary() == y->getAttrDictionary() && ++steps_ < kMostSteps;
    if (!comparable) return false;
    for (const auto [lhs, rhs] : llvm::zip(x->getOperands(), y->getOperands())) {
      if (!areSame(lhs, rhs)) return false;
    }
    known_.insert({a.getAsOpaquePointer(), b.getAsOpaquePointer()});
    return true;
  }

 private:
  static constexpr int kMostSteps = 1000;

  std::set<std::pair<const void*, const void*>> known_;
  int steps_ = 0;
};

}  // namespace

bool isSameCount(Value a, Value b) { return Comparison().areSame(a, b); }

Value countOf(Composer& c, int64_t value) {
  return c.integers({}, {value}, c.node().ir().getI64Type());
}

Value countTrue(Composer& c, Value mask) {
  const Shape shape = c.shape(mask);
  const Value count = c.sum(c.cast(mask, c.node().ir().getI64Type()), {0});
  if (c.ok()) c.node().setMost(count, shape[0]);
  return count;
}

Value countAt(Composer& c, Value list, int64_t index) {
  list = c.cast(list, c.node().ir().getI64Type());
  if (c.ok() && c.rank(list) != 0) list = c.slice(list, 0, index, index + 1);
  return c.reshape(list, {});
}

Value clampedCount(Composer& c, Value count, int64_t most) {
  count = c.min(c.max(count, countOf(c, 0)), countOf(c, most));
  if (c.ok()) c.node().setMost(count, most);
  return count;
}

Value validMask(Composer& c, Value value, const RowCount& rows) {
  const Shape shape = c.shape(value);
  if (!c.ok()) return {};
  const Value positions =
      c.positions(shape[rows.axis], rows.axis, std::ssize(shape), c.node().ir().getI64Type());
  return c.less(positions, rows.count);
}

Value withFiller(Composer& c, Value value, const RowCount& rows, Value filler) {
  return c.where(validMask(c, value, rows), value, filler);
}

Value lastFiller(Composer& c, Value value, bool largest) {
  if (!c.ok()) return {};
  const mlir::Type type = graph::elementTypeOf(value);
  if (mlir::isa<mlir::FloatType>(type)) {
    return c.number(std::numeric_limits<double>::quiet_NaN(), type);
  }
  const unsigned bits = type.getIntOrFloatBitWidth();
  const bool is_unsigned = type.isUnsignedInteger() || bits == 1;
  const llvm::APInt least =
      is_unsigned ? llvm::APInt(bits, 0) : llvm::APInt::getSignedMinValue(bits);
  const llvm::APInt most =
      is_unsigned ? llvm::APInt::getMaxValue(bits) : llvm::APInt::getSignedMaxValue(bits);
  return c.integers({}, {(largest ? least : most).getSExtValue()}, type);
}

Status finishCounted(Composer& c, Value value, const RowCount& rows, size_t index) {
  const std::vector<Range> count = c.ok() ? c.node().rangesOf(rows.count) : std::vector<Range>();
  if (count.size() == 1 && count[0].isExact()) {
    return c.finish(c.slice(value, rows.axis, 0, count[0].low), index);
  }
  if (c.ok()) c.node().setRowCount(value, rows);
  return c.finish(value, index);
}

std::string dependsOnData(size_t index, const RowCount& rows) {
  return fmt::format("the number of entries along dimension {} of input {} depends on data",
                     rows.axis, index);
}

}  // namespace vta::compiler
