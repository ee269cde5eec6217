#include "compiler/dialects/graph/evaluate_elementwise.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace vta::graph {
namespace {

double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }
double softplus(double x) { return std::max(x, 0.0) + std::log1p(std::exp(-std::abs(x))); }
/// Keeps NaN and the sign of zero.
double sign(double x) { return x > 0 ? 1 : x < 0 ? -1 : x; }
double clamped(double x, double low, double high) { return x < low ? low : x > high ? high : x; }

template <typename T>
bool compare(BinaryKind kind, T x, T y) {
  switch (kind) {
    case BinaryKind::less:
      return x < y;
    case BinaryKind::less_equal:
      return x <= y;
    case BinaryKind::greater:
      return x > y;
    case BinaryKind::greater_equal:
      return x >= y;
    default:
      return x == y;
  }
}

/// Wraps as two's complement.
int64_t integerPower(int64_t base, int64_t exponent) {
  if (exponent < 0) return base == 1 ? 1 : base == -1 ? (exponent % 2 == 0 ? 1 : -1) : 0;
  uint64_t result = 1, square = static_cast<uint64_t>(base);
  for (; exponent > 0; exponent >>= 1, square *= square) {
    if (exponent & 1) result *= square;
  }
  return static_cast<int64_t>(result);
}

/// base ^ exponent, wrapped, for an exponent of 64 unsigned bits.
uint64_t unsignedPower(uint64_t base, uint64_t exponent) {
  uint64_t result = 1;
  for (; exponent > 0; exponent >>= 1, base *= base) {
    if (exponent & 1) result *= base;
  }
  return result;
}

/// Python's sign convention: the remainder has the divisor's sign.
int64_t floorMod(int64_t x, int64_t y) {
  int64_t remainder = x % y;
  return remainder != 0 && (remainder < 0) != (y < 0) ? remainder + y : remainder;
}

/// Shifts fill with zeros, and move everything out where they are as wide as the type.
int64_t shifted(BinaryKind kind, uint64_t x, uint64_t amount, unsigned width) {
  const uint64_t mask = width == 64 ? ~uint64_t{0} : (uint64_t{1} << width) - 1;
  amount &= mask;
  if (amount >= width) return 0;
  return static_cast<int64_t>(kind == BinaryKind::shift_left ? x << amount : (x & mask) >> amount);
}

/// The kinds that read unsigned numbers of 64 bits otherwise than signed ones.
std::optional<int64_t> wideUnsigned(BinaryKind kind, uint64_t x, uint64_t y) {
  const auto bits = [](uint64_t value) { return static_cast<int64_t>(value); };
  switch (kind) {
    case BinaryKind::div:
      return y == 0 ? std::nullopt : std::optional(bits(x / y));
    case BinaryKind::mod:
    case BinaryKind::fmod:
      return y == 0 ? std::nullopt : std::optional(bits(x % y));
    case BinaryKind::min:
      return bits(std::min(x, y));
    case BinaryKind::max:
      return bits(std::max(x, y));
    case BinaryKind::pow:
      return bits(unsignedPower(x, y));
    case BinaryKind::prelu:
      return bits(x);
    default:
      return std::nullopt;
  }
}

}  // namespace

double evaluateUnary(UnaryKind kind, double x, double alpha, double beta) {
  switch (kind) {
    case UnaryKind::relu:
      return x < 0 ? 0 : x;
    case UnaryKind::neg:
      return -x;
    case UnaryKind::abs:
      return std::abs(x);
    case UnaryKind::exp:
      return std::exp(x);
    case UnaryKind::log:
      return std::log(x);
    case UnaryKind::sqrt:
      return std::sqrt(x);
    case UnaryKind::reciprocal:
      return 1 / x;
    case UnaryKind::sigmoid:
      return sigmoid(x);
    case UnaryKind::tanh:
      return std::tanh(x);
    case UnaryKind::erf:
      return std::erf(x);
    case UnaryKind::floor:
      return std::floor(x);
    case UnaryKind::ceil:
      return std::ceil(x);
    case UnaryKind::round:
      return std::nearbyint(x);
    case UnaryKind::sign:
      return sign(x);
    case UnaryKind::leaky_relu:
      return x < 0 ? alpha * x : x;
    case UnaryKind::elu:
      return x < 0 ? alpha * std::expm1(x) : x;
    case UnaryKind::selu:
      return beta * (x < 0 ? alpha * std::expm1(x) : x);
    case UnaryKind::celu:
      return x < 0 ? alpha * std::expm1(x / alpha) : x;
    case UnaryKind::hard_sigmoid:
      return clamped(alpha * x + beta, 0, 1);
    case UnaryKind::hard_swish:
      return x * clamped(x / 6 + 0.5, 0, 1);
    case UnaryKind::softplus:
      return softplus(x);
    case UnaryKind::softsign:
      return x / (1 + std::abs(x));
    case UnaryKind::thresholded_relu:
      return x > alpha ? x : 0;
    case UnaryKind::sin:
      return std::sin(x);
    case UnaryKind::cos:
      return std::cos(x);
    case UnaryKind::tan:
      return std::tan(x);
    case UnaryKind::asin:
      return std::asin(x);
    case UnaryKind::acos:
      return std::acos(x);
    case UnaryKind::atan:
      return std::atan(x);
    case UnaryKind::sinh:
      return std::sinh(x);
    case UnaryKind::cosh:
      return std::cosh(x);
    case UnaryKind::asinh:
      return std::asinh(x);
    case UnaryKind::acosh:
      return std::acosh(x);
    case UnaryKind::atanh:
      return std::atanh(x);
    case UnaryKind::logical_not:
      return x == 0;
    case UnaryKind::bitwise_not:
      return std::nan("");
    case UnaryKind::is_nan:
      return std::isnan(x);
    case UnaryKind::is_inf:
      return std::isinf(x);
    case UnaryKind::gelu:
      return 0.5 * x * (1 + std::erf(x / std::numbers::sqrt2));
    case UnaryKind::mish:
      return x * std::tanh(softplus(x));
  }
  return std::nan("");
}

IntegerFormat integerFormat(mlir::Type type) {
  const auto integer = mlir::cast<mlir::IntegerType>(type);
  return {integer.getWidth(), integer.isUnsigned() || integer.getWidth() == 1};
}

std::optional<int64_t> evaluateUnary(UnaryKind kind, int64_t x, IntegerFormat format) {
  switch (kind) {
    case UnaryKind::relu:
      return format.is_unsigned ? x : std::max<int64_t>(x, 0);
    case UnaryKind::neg:
      return static_cast<int64_t>(-static_cast<uint64_t>(x));
    case UnaryKind::abs:
      if (format.is_unsigned) return x;
      return x < 0 ? static_cast<int64_t>(-static_cast<uint64_t>(x)) : x;
    case UnaryKind::sign:
      return format.is_unsigned ? x != 0 : (x > 0) - (x < 0);
    case UnaryKind::logical_not:
      return x == 0;
    case UnaryKind::bitwise_not:
      return ~x;
    default:
      return std::nullopt;
  }
}

bool isComparison(BinaryKind kind) {
  return kind == BinaryKind::equal || kind == BinaryKind::less || kind == BinaryKind::less_equal ||
         kind == BinaryKind::greater || kind == BinaryKind::greater_equal;
}

bool evaluateComparison(BinaryKind kind, double x, double y) { return compare(kind, x, y); }
bool evaluateComparison(BinaryKind kind, int64_t x, int64_t y, IntegerFormat format) {
  if (!format.is_unsigned) return compare(kind, x, y);
  return compare(kind, static_cast<uint64_t>(x), static_cast<uint64_t>(y));
}

double leastOf(double x, double y) {
  if (std::isnan(x) || std::isnan(y)) return std::nan("");
  return x == y ? (std::signbit(x) ? x : y) : std::min(x, y);
}

double largestOf(double x, double y) {
  if (std::isnan(x) || std::isnan(y)) return std::nan("");
  return x == y ? (std::signbit(x) ? y : x) : std::max(x, y);
}

std::optional<double> evaluateBinary(BinaryKind kind, double x, double y) {
  switch (kind) {
    case BinaryKind::add:
      return x + y;
    case BinaryKind::sub:
      return x - y;
    case BinaryKind::mul:
      return x * y;
    case BinaryKind::div:
      return x / y;
    case BinaryKind::min:
      return leastOf(x, y);
    case BinaryKind::max:
      return largestOf(x, y);
    case BinaryKind::pow:
      return std::pow(x, y);
    case BinaryKind::fmod:
      return std::fmod(x, y);
    case BinaryKind::prelu:
      return x < 0 ? x * y : x;
    default:
      return std::nullopt;
  }
}

std::optional<int64_t> evaluateBinary(BinaryKind kind, int64_t x, int64_t y, IntegerFormat format) {
  auto wrap = [](uint64_t value) { return static_cast<int64_t>(value); };
  auto ux = static_cast<uint64_t>(x), uy = static_cast<uint64_t>(y);
  if (format.is_unsigned && format.width == 64) {
    if (const auto result = wideUnsigned(kind, ux, uy)) return result;
  }
  // The quotient of the least value and -1 does not fit; the hardware would trap.
  bool divides = y != 0 && !(x == INT64_MIN && y == -1);
  auto when = [](bool condition, auto compute) -> std::optional<int64_t> {
    if (!condition) return std::nullopt;
    return compute();
  };
  switch (kind) {
    case BinaryKind::add:
      return wrap(ux + uy);
    case BinaryKind::sub:
      return wrap(ux - uy);
    case BinaryKind::mul:
      return wrap(ux * uy);
    case BinaryKind::div:
      return when(divides, [&] { return x / y; });
    case BinaryKind::mod:
      return when(divides, [&] { return floorMod(x, y); });
    case BinaryKind::fmod:
      return when(divides, [&] { return x % y; });
    case BinaryKind::min:
      return std::min(x, y);
    case BinaryKind::max:
      return std::max(x, y);
    case BinaryKind::pow:
      return integerPower(x, y);
    case BinaryKind::logical_and:
      return x != 0 && y != 0;
    case BinaryKind::logical_or:
      return x != 0 || y != 0;
    case BinaryKind::logical_xor:
      return (x != 0) != (y != 0);
    case BinaryKind::bitwise_and:
      return x & y;
    case BinaryKind::bitwise_or:
      return x | y;
    case BinaryKind::bitwise_xor:
      return x ^ y;
    case BinaryKind::shift_left:
    case BinaryKind::shift_right:
      return shifted(kind, ux, uy, format.width);
    case BinaryKind::prelu:
      return x < 0 ? wrap(ux * uy) : x;
    default:
      return std::nullopt;
  }
}

int64_t truncated(double x, IntegerFormat format) {
  const bool is_wide = format.width == 64 || (format.width == 32 && format.is_unsigned);
  const double limit = is_wide ? 0x1p63 : 0x1p31;
  // Unsigned numbers of 64 bits: those that 63 bits do not hold lose the first one on the way.
  const bool is_moved = format.width == 64 && format.is_unsigned && x >= limit;
  const double rest = is_moved ? x - limit : x;
  const int64_t least = is_wide ? INT64_MIN : INT32_MIN;
  const int64_t value = rest >= -limit && rest < limit ? static_cast<int64_t>(rest) : least;
  return is_moved ? value ^ INT64_MIN : value;
}

}  // namespace vta::graph
