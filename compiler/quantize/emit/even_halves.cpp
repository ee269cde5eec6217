#include "compiler/quantize/emit/even_halves.h"

#include <cmath>
#include <optional>

#include "compiler/quantize/emit/state.h"

namespace vta::compiler {

using mlir::Value;

namespace {

/// How sum / 2^shift is rounded.
struct EvenHalves {
  int shift = 0;
  int64_t offset = 0;  // makes every sum positive and flips the parity of its quotient
};

std::optional<EvenHalves> evenHalves(double factor, int64_t largest) {
  int exponent = 0;
  if (std::frexp(factor, &exponent) != 0.5 || exponent > 0) return std::nullopt;
  EvenHalves even{1 - exponent, 0};
  if (even.shift >= 15) return std::nullopt;
  const int64_t period = int64_t{2} << even.shift;
  even.offset = (largest + period - 1) / period * period + period / 2;
  const bool fits = even.offset + largest < int64_t{1} << (30 - even.shift);
  return fits ? std::optional(even) : std::nullopt;
}

}  // namespace

// The ALU has an accumulator and constants: a product that wraps copies the parity of the quotient
// into the sign, by which `qmul` rounds up or down; what it copied beside the parity is shifted out
// at the top afterwards.
Value roundedToEven(EmitBuilder& build, Value sum, int64_t bias, double factor, int64_t largest) {
  const auto even = evenHalves(factor, largest);
  if (!even) return {};
  const int shift = even->shift;
  sum = build.add(sum, build.scalar(static_cast<int32_t>(even->offset + bias)));
  sum = build.mul(sum, build.scalar((int32_t{1} << (31 - shift)) + 1));
  sum = build.qmul(sum, build.scalar(1), shift);
  sum = build.shr(sum, build.scalar(-(2 * shift + 1)));
  sum = build.shr(sum, build.scalar(2 * shift + 1));
  return shifted(build, sum, -(even->offset >> shift));
}

}  // namespace vta::compiler
