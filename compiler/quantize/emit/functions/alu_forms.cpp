#include "compiler/quantize/emit/functions/alu_forms.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "compiler/quantize/curves/fit_curve.h"
#include "compiler/quantize/emit/functions/affine_form.h"
#include "compiler/quantize/plan/alu_arithmetic.h"

namespace vta::compiler {
namespace {

using mlir::Value;

constexpr int64_t kEntries = graph::kTableEntries;
/// Floats of one function differ by no more than this share.
constexpr double kSame = 1e-5;
/// A factor of one in the multipliers of lines: what is below it is slope.
constexpr int64_t kUnit = int64_t{1} << 16;

/// The ALU's qmul, or nothing where the value would not fit 32 bits.
std::optional<int64_t> qmulInRange(std::optional<int64_t> value, int64_t multiplier, int shift) {
  if (!value) return std::nullopt;
  const int64_t product = qmul(*value, multiplier, shift);
  const bool fits = product >= std::numeric_limits<int32_t>::min() &&
                    product <= std::numeric_limits<int32_t>::max();
  return fits ? std::optional(product) : std::nullopt;
}

/// Two qmul in a row that multiply by `factor`, and the zero point, saturated.
struct Rescaling {
  ExactFactors factors;
  int64_t zero_point = 0;

  std::optional<int64_t> of(std::optional<int64_t> value) const {
    value = qmulInRange(value, factors.first[0], factors.first_shift);
    value = qmulInRange(value, factors.second[0], factors.second_shift);
    if (!value) return std::nullopt;
    return std::clamp<int64_t>(*value + zero_point, -128, 127);
  }

  Value emit(EmitBuilder& build, Value value) const {
    value = build.qmul(value, build.scalar(factors.first[0]), factors.first_shift);
    value = build.qmul(value, build.scalar(factors.second[0]), factors.second_shift);
    if (zero_point != 0) value = build.add(value, build.scalar(static_cast<int32_t>(zero_point)));
    return build.narrow(build.clip(value, {}));
  }
};

/// The integer behind entry `i` without its zero point, and the real value that it stands for.
int64_t centred(const ElementFunction& f, int64_t i) { return i - kEntries / 2 - f.in.zero_point; }
double real(const ElementFunction& f, int64_t i) {
  return static_cast<double>(centred(f, i)) * f.in.scale;
}

bool isSame(double a, double b) { return std::abs(a - b) <= kSame * std::max(1e-3, std::abs(b)); }

/// True when `form(channel, centred integer)` gives every entry, or comes close to all of them
/// where that is enough.
template <typename Form>
bool givesEntries(const ElementFunction& f, Form form) {
  for (size_t c = 0; c < f.channels; ++c) {
    CurveFunction channel;
    std::vector<int64_t> results;
    for (int64_t i = 0; i < kEntries; ++i) {
      const size_t place = c * kEntries + static_cast<size_t>(i);
      const std::optional<int64_t> value = form(c, centred(f, i));
      if (!value || (!f.may_differ && *value != f.entries[place])) return false;
      channel.values.push_back(f.reals[place] / f.out.scale +
                               static_cast<double>(f.out.zero_point));
      results.push_back(*value);
    }
    if (!f.may_differ) continue;
    if (!channel.isFinite() || !isClose(curveError(channel, results))) return false;
  }
  return true;
}

Value centredValue(EmitBuilder& build, Value input, const ElementFunction& f) {
  Value wide = build.widen(input);
  if (f.in.zero_point == 0) return wide;
  return build.add(wide, build.scalar(static_cast<int32_t>(-f.in.zero_point)));
}

/// Slopes right of zero, the same for all channels, and left of it.
struct Lines {
  double right = 0;
  std::vector<double> left;
};

std::optional<Lines> findLines(const ElementFunction& f) {
  // The ends say the slopes; both sides have to be there.
  if (centred(f, 0) >= 0 || centred(f, kEntries - 1) <= 0) return std::nullopt;
  Lines lines{f.reals[kEntries - 1] / real(f, kEntries - 1), {}};
  if (!(lines.right > 0)) return std::nullopt;
  for (size_t c = 0; c < f.channels; ++c) {
    const double* reals = &f.reals[c * kEntries];
    lines.left.push_back(reals[0] / real(f, 0));
    for (int64_t i = 0; i < kEntries; ++i) {
      const double slope = centred(f, i) < 0 ? lines.left.back() : lines.right;
      if (!isSame(reals[i], slope * real(f, i))) return std::nullopt;
    }
  }
  return lines;
}

/// max(x, slope * x), or min where slopes are above 1.
Value emitLines(EmitBuilder& build, Value input, const ElementFunction& f, const HwParams& hw) {
  const std::optional<Lines> lines = findLines(f);
  if (!lines) return {};
  std::vector<int32_t> left;
  for (double slope : lines->left) {
    left.push_back(roundToInt32(slope / lines->right * static_cast<double>(kUnit)));
  }
  const int64_t limit = int64_t{1} << (hw.qmul_multiplier_bits - 1);
  const auto fits = [&](int64_t m) { return m >= -limit && m < limit; };
  const bool rises = llvm::all_of(left, [](int32_t m) { return m <= kUnit; });
  const bool falls = llvm::all_of(left, [](int32_t m) { return m >= kUnit; });
  if (!fits(kUnit) || !llvm::all_of(left, fits) || (!rises && !falls)) return {};
  const double factor = f.in.scale * lines->right / (f.out.scale * static_cast<double>(kUnit));
  const Rescaling rescaling{toExactFactors({factor}, hw.qmul_multiplier_bits), f.out.zero_point};
  const bool exact = givesEntries(f, [&](size_t c, int64_t x) {
    const int64_t right = x * kUnit, other = x * left[c];
    return rescaling.of(rises ? std::max(right, other) : std::min(right, other));
  });
  if (!exact) return {};
  Value right =
      build.qmul(centredValue(build, input, f), build.scalar(static_cast<int32_t>(kUnit)), 0);
  Value other = build.qmul(centredValue(build, input, f), build.perChannel(left), 0);
  const auto kind = rises ? graph::BinaryKind::max : graph::BinaryKind::min;
  return rescaling.emit(build, build.binary(kind, right, other));
}

double hardSwish(double x) { return x * std::clamp(x / 6 + 0.5, 0.0, 1.0); }

/// What x * clip(x + 3, 0, 6) / 6 is multiplied by to give the function; nothing if there is no
/// such positive number.
std::optional<double> multipleOfHardSwish(const ElementFunction& f) {
  if (f.channels != 1) return std::nullopt;
  const double most = hardSwish(real(f, kEntries - 1));
  const double multiple = most > 0 ? f.reals[kEntries - 1] / most : 0;
  if (!(multiple > 0)) return std::nullopt;
  for (int64_t i = 0; i < kEntries; ++i) {
    if (!isSame(f.reals[static_cast<size_t>(i)], multiple * hardSwish(real(f, i)))) {
      return std::nullopt;
    }
  }
  return multiple;
}

/// A multiple of x * clip(x + 3, 0, 6) / 6, the clip with as many fraction bits as fit.
Value emitHardSwish(EmitBuilder& build, Value input, const ElementFunction& f, const HwParams& hw) {
  const std::optional<double> multiple = multipleOfHardSwish(f);
  if (!multiple) return {};
  const double steps = 6 / f.in.scale;
  const int fraction = std::clamp(
      static_cast<int>(std::floor(std::log2(std::ldexp(1.0, 30) / (256 * (steps + 1))))), 0, 14);
  const int32_t middle = roundToInt32(std::ldexp(steps / 2, fraction));
  const int32_t upper = roundToInt32(std::ldexp(steps, fraction));
  const double factor =
      std::ldexp(*multiple * f.in.scale * f.in.scale / (6 * f.out.scale), -fraction);
  const Rescaling rescaling{toExactFactors({factor}, hw.qmul_multiplier_bits), f.out.zero_point};
  const bool exact = givesEntries(f, [&](size_t, int64_t x) {
    const int64_t gate = std::clamp<int64_t>((x << fraction) + middle, 0, upper);
    return rescaling.of(x * gate);
  });
  if (!exact) return {};
  Value gate = build.shr(centredValue(build, input, f), build.scalar(-fraction));
  gate = build.clip(build.add(gate, build.scalar(middle)), {0, upper});
  return rescaling.emit(build,
                        build.binary(graph::BinaryKind::mul, centredValue(build, input, f), gate));
}

}  // namespace

Value emitAluForm(EmitBuilder& build, Value input, const ElementFunction& function,
                  const HwParams& hw) {
  if (!hw.ext_qmul || hw.compat_0_0_2) return {};
  if (Value value = emitLines(build, input, function, hw)) return value;
  if (Value value = emitHardSwish(build, input, function, hw)) return value;
  return emitAffineForm(build, input, function, hw);
}

}  // namespace vta::compiler
