#include "compiler/quantize/curves/square_chain.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace vta::compiler {
namespace {

constexpr size_t kMostUnknowns = kMostSquares + 3;
constexpr int kIterations = 30;
/// Of the first look at a start, with every kSparse-th point.
constexpr int kFirstIterations = 14;
constexpr size_t kSparse = 4;
/// Starts that go on after it.
constexpr size_t kFinalists = 3;
/// From this iteration on, large errors weigh more.
constexpr int kFirstWeighted = 12;
/// Steps of the output: with such an error there is no need for other starts.
constexpr double kGoodError = 0.12;

using Offsets = std::array<double, kMostSquares>;
using Vector = std::array<double, kMostUnknowns>;
using Matrix = std::array<Vector, kMostUnknowns>;

struct Start {
  size_t squares;
  Offsets offsets;
};

/// Where fits of common functions end: SiLU, GELU, Softplus, ELU, Sigmoid over short and long
/// ranges.
constexpr Start kStarts[] = {
    {1, {-1.1}},
    {1, {-0.5}},
    {1, {0.2}},
    {1, {-2.5}},
    {2, {-1.1, 0.05}},
    {2, {-1.2, -0.5}},
    {2, {-0.6, -0.2}},
    {2, {-2.0, -3.0}},
    {2, {0.3, -1.0}},
    {2, {-1.5, 0.5}},
    {3, {-1.039, 0.091, -0.683}},
    {3, {-1.187, 0.181, -1.274}},
    {3, {-0.897, 0.539, -1.044}},
    {3, {-0.985, 0.140, 0.342}},
    {3, {-3.300, -4.455, -19.415}},
    {3, {-1.236, -0.733, -4.449}},
    {3, {-2.415, -2.075, -6.980}},
    {3, {-1.477, -8.652, -63.070}},
    {3, {-2.137, -1.018, 0.759}},
    {3, {-1.221, 0.543, 1.267}},
    {3, {-1.039, 1.133, -3.011}},
    {3, {-1.964, 7.722, -233.745}},
    {3, {-1.125, 0.126, -5.407}},
    {4, {-1.130, 0.100, 0.074, -6.710}},
    {4, {-1.564, 0.087, 0.321, -81.531}},
    {4, {-1.234, 2.009, -3.159, -152.430}},
    {4, {-0.987, 0.141, -0.630, -1.857}},
    {4, {-1.171, 0.282, -4.463, -21.435}},
    {4, {-1.237, 0.370, -14.847, -172.098}},
    {4, {-1.042, 0.049, -2.587, -4.186}},
    {4, {-1.344, 0.036, 0.204, -22.600}},
    {4, {-1.290, -0.139, 0.203, -11.659}},
    {4, {-1.345, -2.919, -11.544, 23.155}},
};

/// Solves `a` x = `b` of order `order`, symmetric and positive definite but for rounding; false if
/// it is neither.
bool solve(Matrix a, Vector b, size_t order, Vector& x) {
  for (size_t k = 0; k < order; ++k) {
    if (!(a[k][k] > 1e-14)) return false;
    for (size_t i = k + 1; i < order; ++i) {
      const double share = a[i][k] / a[k][k];
      for (size_t j = k; j < order; ++j) a[i][j] -= share * a[k][j];
      b[i] -= share * b[k];
    }
  }
  for (size_t i = order; i-- > 0;) {
    x[i] = b[i];
    for (size_t j = i + 1; j < order; ++j) x[i] -= a[i][j] * x[j];
    x[i] /= a[i][i];
  }
  return true;
}

double lastSquare(const std::vector<double>& offsets, double place) {
  for (const double offset : offsets) place = (place + offset) * (place + offset);
  return place;
}

/// Starts with one square more than `shorter`. It changes little where its offset is large.
std::vector<Offsets> extended(const ChainFit& shorter, const std::vector<ChainPoint>& points) {
  double largest = 0;
  for (const ChainPoint& point : points) {
    largest = std::max(largest, lastSquare(shorter.offsets, point.place));
  }
  std::vector<Offsets> starts;
  for (const double share : {2.0, -1.2, 0.5}) {
    Offsets& start = starts.emplace_back();
    std::ranges::copy(shorter.offsets, start.begin());
    start[shorter.offsets.size()] = share * largest;
  }
  return starts;
}

/// Levenberg and Marquardt's method from one start. Offsets are unknowns 0 to k - 1; constant,
/// factor and slope follow, which least squares give for any offsets.
class ChainSearch {
 public:
  ChainSearch(const std::vector<ChainPoint>& points, size_t squares, bool has_line)
      : points_(points),
        squares_(squares),
        linear_(has_line ? 3 : 2),
        weights_(points.size()),
        errors_(points.size()) {}

  ChainFit run(const Offsets& start, int iterations) {
    for (size_t i = 0; i < points_.size(); ++i) weights_[i] = points_[i].weight;
    offsets_ = start;
    double cost = project();
    keepBest();
    double damping = 1e-2;
    for (int iteration = 0; iteration < iterations; ++iteration) {
      if (iteration >= kFirstWeighted) {
        weigh();
        cost = project();
      }
      const Offsets before = offsets_;
      Offsets next = offsets_;
      if (!step(damping, next)) break;
      offsets_ = next;
      const double found = project();
      if (found < cost) {
        cost = found;
        damping = std::max(damping * 0.3, 1e-9);
        keepBest();
      } else {
        offsets_ = before;
        cost = project();
        damping = std::min(damping * 5, 1e6);
      }
    }
    return best_;
  }

 private:
  using Sums = std::array<double, kMostSquares>;

  /// The sums that are squared; returns the last square.
  double sumsAt(double place, Sums& sums) const {
    double value = place;
    for (size_t i = 0; i < squares_; ++i) {
      sums[i] = value + offsets_[i];
      value = sums[i] * sums[i];
    }
    return value;
  }

  /// The best constant, factor and slope for the offsets, and the errors; returns their weighted
  /// squares' sum.
  double project() {
    Sums sums{};
    double largest = 1e-30;
    for (const ChainPoint& point : points_) {
      largest = std::max(largest, std::abs(sumsAt(point.place, sums)));
    }
    if (!std::isfinite(largest)) return std::numeric_limits<double>::infinity();
    Matrix a{};
    Vector b{}, x{};
    for (size_t i = 0; i < points_.size(); ++i) {
      const ChainPoint& point = points_[i];
      const double weight = weights_[i] * weights_[i];
      const Vector row{1, sumsAt(point.place, sums) / largest, point.line};
      for (size_t m = 0; m < linear_; ++m) {
        for (size_t n = 0; n < linear_; ++n) a[m][n] += weight * row[m] * row[n];
        b[m] += weight * row[m] * point.target;
      }
    }
    for (size_t m = 0; m < linear_; ++m) a[m][m] *= 1 + 1e-12;
    if (!solve(a, b, linear_, x)) return std::numeric_limits<double>::infinity();
    constant_ = x[0];
    factor_ = x[1] / largest;
    slope_ = linear_ == 3 ? x[2] : 0;
    double cost = 0;
    for (size_t i = 0; i < points_.size(); ++i) {
      const ChainPoint& point = points_[i];
      errors_[i] =
          constant_ + factor_ * sumsAt(point.place, sums) + slope_ * point.line - point.target;
      cost += weights_[i] * weights_[i] * errors_[i] * errors_[i];
    }
    return cost;
  }

  /// What the error changes by with each unknown.
  Vector derivatives(const ChainPoint& point) const {
    Sums sums{};
    Vector row{};
    const double last = sumsAt(point.place, sums);
    double outer = factor_;
    for (size_t i = squares_; i-- > 0;) {
      outer *= 2 * sums[i];
      row[i] = outer;
    }
    row[squares_] = 1;
    row[squares_ + 1] = last;
    row[squares_ + 2] = point.line;
    return row;
  }

  bool step(double damping, Offsets& offsets) const {
    const size_t order = squares_ + linear_;
    Matrix a{};
    Vector b{}, x{}, scale{};
    for (size_t i = 0; i < points_.size(); ++i) {
      const Vector row = derivatives(points_[i]);
      const double weight = weights_[i] * weights_[i];
      for (size_t m = 0; m < order; ++m) {
        for (size_t n = 0; n <= m; ++n) a[m][n] += weight * row[m] * row[n];
        b[m] += weight * row[m] * errors_[i];
      }
    }
    for (size_t m = 0; m < order; ++m) {
      if (!(a[m][m] > 0) || !std::isfinite(a[m][m])) return false;
      scale[m] = std::sqrt(a[m][m]);
    }
    for (size_t m = 0; m < order; ++m) {
      for (size_t n = 0; n <= m; ++n) a[m][n] = a[n][m] = a[m][n] / (scale[m] * scale[n]);
      b[m] /= scale[m];
      a[m][m] += damping;
    }
    if (!solve(a, b, order, x)) return false;
    for (size_t m = 0; m < squares_; ++m) offsets[m] -= x[m] / scale[m];
    return true;
  }

  double largestError() const {
    double largest = 0;
    for (size_t i = 0; i < points_.size(); ++i) {
      largest = std::max(largest, points_[i].weight * std::abs(errors_[i]));
    }
    return largest;
  }

  /// Weights that grow with the square of the error.
  void weigh() {
    const double largest = largestError() + 1e-30;
    for (size_t i = 0; i < points_.size(); ++i) {
      const double share = points_[i].weight * std::abs(errors_[i]) / largest;
      weights_[i] = points_[i].weight * (share * share + 0.02);
    }
  }

  void keepBest() {
    const double error = largestError();
    if (!best_.offsets.empty() && !(error < best_.largest_error)) return;
    best_.offsets.assign(offsets_.begin(), offsets_.begin() + static_cast<int64_t>(squares_));
    best_.constant = constant_;
    best_.factor = factor_;
    best_.slope = slope_;
    best_.largest_error = error;
  }

  const std::vector<ChainPoint>& points_;
  size_t squares_, linear_;
  std::vector<double> weights_, errors_;
  Offsets offsets_{};
  double constant_ = 0, factor_ = 0, slope_ = 0;
  ChainFit best_;
};

}  // namespace

double ChainFit::valueAt(double place) const {
  return constant + factor * lastSquare(offsets, place);
}

ChainFit fitChain(const std::vector<ChainPoint>& points, size_t squares, bool has_line,
                  const ChainFit* shorter) {
  std::vector<Offsets> starts;
  for (const Start& start : kStarts) {
    if (start.squares == squares) starts.push_back(start.offsets);
  }
  if (shorter != nullptr && shorter->offsets.size() + 1 == squares) {
    for (const Offsets& start : extended(*shorter, points)) starts.push_back(start);
  }
  std::vector<ChainPoint> sparse;
  for (size_t i = 0; i < points.size(); i += kSparse) sparse.push_back(points[i]);
  std::vector<ChainFit> looks;
  for (const Offsets& start : starts) {
    looks.push_back(ChainSearch(sparse, squares, has_line).run(start, kFirstIterations));
  }
  std::ranges::stable_sort(looks, {}, &ChainFit::largest_error);
  ChainFit best;
  best.largest_error = std::numeric_limits<double>::infinity();
  for (size_t i = 0; i < std::min(kFinalists, looks.size()); ++i) {
    Offsets start{};
    std::ranges::copy(looks[i].offsets, start.begin());
    ChainFit fit = ChainSearch(points, squares, has_line).run(start, kIterations);
    if (fit.largest_error < best.largest_error) best = std::move(fit);
    if (best.largest_error < kGoodError) break;
  }
  return best;
}

}  // namespace vta::compiler
