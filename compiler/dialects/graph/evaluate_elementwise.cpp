#include "compiler/dialects/graph/evaluate_elementwise.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace vta::graph {
namespace {

double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }
double softplus(double x) { return std::max(x, 0.0) + std::log1p(std::exp(-std::abs(x))); }
double sign(double x) { return std::isnan(x) ? x : (x > 0) - (x < 0); }

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

/// Python's sign convention: the remainder has the divisor's sign.
int64_t floorMod(int64_t x, int64_t y) {
  int64_t remainder = x % y;
  return remainder != 0 && (remainder < 0) != (y < 0) ? remainder + y : remainder;
}

}  // namespace

double evaluateUnary(UnaryKind kind, double x, double alpha, double beta) {
  switch (kind) {
    case UnaryKind::relu:
      return x > 0 || std::isnan(x) ? x : 0;
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
      return beta * (x <= 0 ? alpha * std::expm1(x) : x);
    case UnaryKind::celu:
      return std::max(0.0, x) + std::min(0.0, alpha * std::expm1(x / alpha));
    case UnaryKind::hard_sigmoid:
      return std::clamp(alpha * x + beta, 0.0, 1.0);
    case UnaryKind::hard_swish:
      return x * std::clamp(x / 6 + 0.5, 0.0, 1.0);
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

std::optional<int64_t> evaluateUnary(UnaryKind kind, int64_t x) {
  switch (kind) {
    case UnaryKind::relu:
      return std::max<int64_t>(x, 0);
    case UnaryKind::neg:
      return static_cast<int64_t>(-static_cast<uint64_t>(x));
    case UnaryKind::abs:
      return x < 0 ? static_cast<int64_t>(-static_cast<uint64_t>(x)) : x;
    case UnaryKind::sign:
      return (x > 0) - (x < 0);
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
bool evaluateComparison(BinaryKind kind, int64_t x, int64_t y) { return compare(kind, x, y); }

std::optional<double> evaluateBinary(BinaryKind kind, double x, double y) {
  bool nan = std::isnan(x) || std::isnan(y);
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
      return nan ? std::nan("") : std::min(x, y);
    case BinaryKind::max:
      return nan ? std::nan("") : std::max(x, y);
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

std::optional<int64_t> evaluateBinary(BinaryKind kind, int64_t x, int64_t y) {
  auto wrap = [](uint64_t value) { return static_cast<int64_t>(value); };
  auto ux = static_cast<uint64_t>(x), uy = static_cast<uint64_t>(y);
  // The quotient of the least value and -1 does not fit; the hardware would trap.
  bool divides = y != 0 && !(x == INT64_MIN && y == -1);
  bool shifts = y >= 0 && y < 64;
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
      return when(shifts, [&] { return wrap(ux << uy); });
    case BinaryKind::shift_right:
      return when(shifts, [&] { return wrap(ux >> uy); });
    case BinaryKind::prelu:
      return x < 0 ? wrap(ux * uy) : x;
    default:
      return std::nullopt;
  }
}

}  // namespace vta::graph
