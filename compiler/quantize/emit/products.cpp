#include "compiler/quantize/emit/products.h"

#include <algorithm>
#include <utility>

namespace vta::compiler {

using mlir::Value;

// (x - x_zero) * (y - y_zero) is exact in 17 bits; one rescaling follows.
Value emitProduct(EmitState& state, const QuantNode& node, EmitBuilder& build) {
  constexpr int64_t kLargest = 255 * 255;
  Value full = node.inputs[0], other = node.inputs[1];
  if (full.getType() != node.anchor->getResult(0).getType()) std::swap(full, other);
  const auto centred = [&](Value value) {
    return shifted(build, build.widen(state.integers(value)), -state.params(value).zero_point);
  };
  Value product = build.mul(centred(full), centred(other));
  const QuantParams out = state.params(node.output);
  const double factor = state.params(full).scale * state.params(other).scale / out.scale;
  if (state.exact()) {
    return state.exactlyRescaledToEven(node, build, product, {factor, 0, -kLargest, kLargest});
  }
  const FixedPoint fixed =
      toFixedPoint({std::min(factor, kLargestFactor)}, state.hw().qmul_multiplier_bits);
  product = build.qmul(product, build.scalar(fixed.multipliers[0]), fixed.shift);
  return state.narrow(node, build, shifted(build, product, out.zero_point));
}

}  // namespace vta::compiler
