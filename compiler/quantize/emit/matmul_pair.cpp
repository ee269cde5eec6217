#include "compiler/quantize/emit/matmul_pair.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "mlir/IR/BuiltinTypes.h"

namespace vta::compiler {
namespace {

using mlir::Value;

llvm::ArrayRef<int64_t> shapeOf(Value value) {
  return mlir::cast<mlir::RankedTensorType>(value.getType()).getShape();
}

/// A plain tensor's shape with all batches as one dimension.
llvm::SmallVector<int64_t> withOneBatch(llvm::ArrayRef<int64_t> shape) {
  int64_t batches = 1;
  for (const int64_t extent : shape.drop_back(2)) batches *= extent;
  return {batches, shape[shape.size() - 2], shape.back()};
}

/// int8 values that sum up to -zero_point; none for zero.
llvm::SmallVector<int8_t> zeroPointTerms(int64_t zero_point) {
  constexpr int64_t kMost = std::numeric_limits<int8_t>::max();
  llvm::SmallVector<int8_t> terms;
  for (int64_t rest = -zero_point; rest != 0;) {
    terms.push_back(static_cast<int8_t>(std::min(rest, kMost)));
    rest -= terms.back();
  }
  return terms;
}

/// One node; one use.
class MatMulPairEmitter {
 public:
  MatMulPairEmitter(EmitState& state, const QuantNode& node, EmitBuilder& build)
      : state_(state), node_(node), build_(build) {}

  Value run() {
    build_.setChannelAxis(false);
    const auto result = shapeOf(node_.output);
    Value lhs = batched(node_.inputs[0]), rhs = batched(node_.inputs[1]);
    depth_ = shapeOf(lhs).back();
    // sum of x * (y - y_zero) = sum of x * y + sum of x * -y_zero: more terms of the same product.
    const llvm::SmallVector<int8_t> terms = zeroPointTerms(params(1).zero_point);
    if (!terms.empty()) {
      lhs = build_.joined(lhs, 1 + std::ssize(terms), {}, 2);
      rhs = build_.joined(rhs, 1, terms, 1);
    }
    Value sum = build_.matmulOfBatches(lhs, rhs, depth_);
    return build_.reshape(rescaled(withoutLhsZero(sum, rhs)), result);
  }

 private:
  const QuantParams& params(size_t input) const { return state_.params(node_.inputs[input]); }

  Value batched(Value activation) {
    return build_.reshape(state_.integers(activation), withOneBatch(shapeOf(activation)));
  }

  /// - x_zero * sum of (y - y_zero): the same for all rows of a batch.
  Value withoutLhsZero(Value sum, Value rhs) {
    const int64_t zero_point = params(0).zero_point;
    if (zero_point == 0) return sum;
    Value columns = build_.sumAlong(build_.widen(rhs), 1);
    Value bias = build_.mul(columns, build_.scalar(static_cast<int32_t>(-zero_point)));
    return build_.add(sum, bias);
  }

  Value rescaled(Value sum) {
    const QuantParams out = state_.params(node_.output);
    const double factor = params(0).scale * params(1).scale / out.scale;
    if (!state_.hw().ext_qmul) return shiftedDown(sum, -logRatio(factor, 1), out.zero_point);
    if (state_.exact()) {
      const int64_t reach = depth_ * 255 * 255;
      return state_.exactlyRescaledToEven(node_, build_, sum, {factor, 0, -reach, reach});
    }
    const double most = std::min(factor, kLargestFactor);
    const FixedPoint fixed = toFixedPoint({most}, state_.hw().qmul_multiplier_bits);
    sum = build_.qmul(sum, build_.scalar(fixed.multipliers[0]), fixed.shift);
    sum = withRoom(build_, sum, static_cast<double>(depth_) * 255 * 255 * most, 0);
    return state_.narrow(node_, build_, shifted(build_, sum, out.zero_point));
  }

  /// (sum + half) >> bits, plus the zero point; the scales are chosen so that this is the factor.
  Value shiftedDown(Value sum, int bits, int64_t zero_point) {
    const int64_t half = bits > 0 ? int64_t{1} << (bits - 1) : 0;
    sum = shifted(build_, sum, half);
    if (bits > 0) sum = build_.shr(sum, build_.scalar(bits));
    return state_.narrow(node_, build_, shifted(build_, sum, zero_point));
  }

  EmitState& state_;
  const QuantNode& node_;
  EmitBuilder& build_;
  int64_t depth_ = 0;  // K
};

}  // namespace

Value emitMatMulPair(EmitState& state, const QuantNode& node, EmitBuilder& build) {
  return MatMulPairEmitter(state, node, build).run();
}

}  // namespace vta::compiler
