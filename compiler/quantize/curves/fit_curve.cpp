#include "compiler/quantize/curves/fit_curve.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <tuple>
#include <utility>

#include "compiler/quantize/curves/curve_builder.h"
#include "compiler/quantize/curves/refine_curve.h"
#include "compiler/quantize/curves/square_chain.h"

namespace vta::compiler {
namespace {

using Kind = CurveStep::Kind;

/// Results that saturate by more than half a step matter little as long as they do.
constexpr double kSaturatedWeight = 0.05;
/// A fit with a larger error, in steps, has no integers that are close enough.
constexpr double kMostFitError = 0.9;
/// With a smaller one there is no need to look on.
constexpr double kGoodFitError = 0.25;
/// Fits look at every second input.
constexpr int64_t kPointDistance = 2;
/// Where the argument of a chain is cut off, as shares of all places.
constexpr std::array kCuts = {1.0, 0.8, 0.64, 0.5, 0.4, 0.32, 0.25, 0.2, 0.16, 0.125, 0.1};

/// What a chain computes.
enum class Shape : uint8_t {
  kWhole,     // all of the function
  kHalf,      // one side of the centre; the other one is a line
  kFold,      // what depends on the distance from the centre
  kOneOfTwo,  // one side of the centre; the other one is a chain too
};

struct Candidate {
  ChainFit fit;
  int64_t places = 0;  // steps of the input from place 0 to 1
};

class CurveFitter {
 public:
  CurveFitter(const CurveFunction& function, int multiplier_bits)
      : f_(function), bits_(multiplier_bits) {}

  std::optional<CurveSteps> run() {
    for (size_t squares = 1; squares <= kMostSquares; ++squares) {
      for (const int side : {1, -1}) {
        if (auto steps = fitWhole(squares, side)) return steps;
        if (auto steps = fitHalf(squares, side)) return steps;
      }
      for (const int side : {1, -1}) {
        if (auto steps = fitFold(squares, side)) return steps;
      }
      // Two chains of k squares take as long as one of 2 k.
      if (squares % 2 == 0) continue;
      if (auto steps = fitHalves((squares + 1) / 2)) return steps;
    }
    for (size_t squares = kMostSquares / 2 + 2; squares <= kMostSquares; ++squares) {
      if (auto steps = fitHalves(squares)) return steps;
    }
    return std::nullopt;
  }

 private:
  double value(int64_t x) const { return f_.values[static_cast<size_t>(x - kLeastCurveInput)]; }

  double weight(int64_t x) const {
    const double y = value(x);
    return y < kLeastCurveInput - 0.5 || y > kMostCurveInput + 0.5 ? kSaturatedWeight : 1;
  }

  bool isInside(int64_t x) const { return x >= kLeastCurveInput && x <= kMostCurveInput; }

  /// Whether the function is a line from `at` on, upwards or downwards as `side` says, within a
  /// step.
  bool isLine(int64_t at, int side) const {
    const int64_t end = side > 0 ? kMostCurveInput : kLeastCurveInput;
    if (end == at) return true;
    const double slope = (value(end) - value(at)) / static_cast<double>(end - at);
    for (int64_t x = at; x != end; x += side) {
      const double line = value(at) + slope * static_cast<double>(x - at);
      if (weight(x) == 1 && std::abs(line - value(x)) > 1) return false;
    }
    return true;
  }

  /// Whether the function is even around `at` but for a line, within two steps.
  bool isFoldable(int64_t at) const {
    const int64_t reach = std::min(at - kLeastCurveInput, kMostCurveInput - at);
    double products = 0, squares = 0;
    for (int64_t d = 1; d <= reach; ++d) {
      if (weight(at + d) < 1 || weight(at - d) < 1) continue;
      products += (value(at + d) - value(at - d)) * static_cast<double>(d);
      squares += static_cast<double>(d * d);
    }
    if (squares == 0) return false;
    const double slope = products / squares;
    for (int64_t d = 1; d <= reach; ++d) {
      if (weight(at + d) < 1 || weight(at - d) < 1) continue;
      const double odd = value(at + d) - value(at - d) - slope * static_cast<double>(d);
      if (std::abs(odd) > 2) return false;
    }
    return true;
  }

  /// Whether values beyond `at + side * places` are a line, or one value, within two steps: only
  /// there a chain's argument can be cut off.
  bool mayCut(int64_t at, int side, int64_t places, bool is_line) const {
    constexpr double kWithin = 2;
    const int64_t begin = at + side * places, end = side > 0 ? kMostCurveInput : kLeastCurveInput;
    if ((end - begin) * side <= 0) return true;
    const double slope =
        is_line ? (value(end) - value(begin)) / static_cast<double>(end - begin) : 0;
    for (int64_t x = begin; x != end + side; x += side) {
      const double line = value(begin) + slope * static_cast<double>(x - begin);
      if (weight(x) == 1 && std::abs(line - value(x)) > kWithin) return false;
    }
    return true;
  }

  /// Points whose place is the distance from `at`, on one side or on both (0).
  std::vector<ChainPoint> pointsFrom(int64_t at, int64_t places, int chain_side, int line_side,
                                     int points_side) const {
    std::vector<ChainPoint> points;
    for (int64_t x = kLeastCurveInput; x <= kMostCurveInput;
         x += x + kPointDistance > kMostCurveInput && x < kMostCurveInput ? kMostCurveInput - x
                                                                          : kPointDistance) {
      if (points_side != 0 && (x - at) * points_side < 0) continue;
      int64_t distance = chain_side == 0 ? std::abs(x - at) : (x - at) * chain_side;
      distance = std::clamp<int64_t>(distance, 0, places);
      points.push_back({static_cast<double>(distance) / static_cast<double>(places),
                        static_cast<double>(line_side > 0 ? std::max<int64_t>(x - at, 0)
                                                          : std::min<int64_t>(x - at, 0)),
                        value(x), weight(x)});
    }
    return points;
  }

  /// Fits with each cut of `reach` places; `build` makes steps of the most promising ones.
  template <typename MayCut, typename Points, typename Build>
  std::optional<CurveSteps> search(Shape shape, int side, size_t squares, int64_t reach,
                                   MayCut may_cut, Points points, Build build) {
    std::vector<Candidate> candidates;
    int64_t last = 0;
    for (const double cut : kCuts) {
      const int64_t places = std::llround(cut * static_cast<double>(reach));
      if (places < 4 || places == last || !may_cut(places)) continue;
      last = places;
      Candidate candidate{longer({shape, side, places}, points(places), squares), places};
      const double error = candidate.fit.largest_error;
      if (!(error < kMostFitError)) continue;
      if (error < kGoodFitError) {
        if (auto steps = finished(build(candidate))) return steps;
        continue;
      }
      candidates.push_back(std::move(candidate));
    }
    constexpr size_t kTried = 3;
    std::ranges::stable_sort(candidates, {},
                             [](const Candidate& c) { return c.fit.largest_error; });
    for (size_t i = 0; i < std::min(kTried, candidates.size()); ++i) {
      if (auto steps = finished(build(candidates[i]))) return steps;
    }
    return std::nullopt;
  }

  /// The steps with refined constants, if they are close enough.
  std::optional<CurveSteps> finished(std::optional<CurveSteps> steps) const {
    if (!steps || !refineCurve(f_, bits_, *steps)) return std::nullopt;
    const std::optional<CurveError> error = curveError(f_, *steps);
    if (!error || !isClose(*error)) return std::nullopt;
    return steps;
  }

  CurveSteps empty() const {
    CurveSteps steps;
    steps.clip = {kLeastCurveInput, kMostCurveInput};
    return steps;
  }

  /// The distance from `at` on one side, at most `places`, times `by`, as input of a chain.
  static ChainInput appendDistance(int64_t at, int side, int64_t places, int64_t by,
                                   std::vector<CurveStep>& to) {
    const int64_t end = std::clamp(at + side * places, kLeastCurveInput, kMostCurveInput);
    if (std::min(at, end) > kLeastCurveInput || std::max(at, end) < kMostCurveInput) {
      to.push_back({.kind = Kind::kClip,
                    .value = static_cast<int32_t>(std::min(at, end)),
                    .upper = static_cast<int32_t>(std::max(at, end))});
    }
    to.push_back(curveMul(by));
    return {at * by, side, static_cast<double>(places * by)};
  }

  /// max(x, at) or min(x, at), times the unit's multiplier.
  static void appendLine(int64_t at, int side, const CurveUnit& unit, std::vector<CurveStep>& to) {
    to.push_back({.kind = side > 0 ? Kind::kMax : Kind::kMin, .value = static_cast<int32_t>(at)});
    to.push_back(curveMul(unit.line_multiplier));
  }

  /// One chain over all inputs.
  std::optional<CurveSteps> fitWhole(size_t squares, int side) {
    const int64_t at = side > 0 ? kLeastCurveInput : kMostCurveInput;
    return search(
        Shape::kWhole, side, squares, kMostCurveInput - kLeastCurveInput,
        [&](int64_t places) { return mayCut(at, side, places, false); },
        [&](int64_t places) { return pointsFrom(at, places, side, 1, 0); },
        [&](const Candidate& c) { return oneSided(c, at, side, false); });
  }

  /// A chain on one side of the centre and a line on the other.
  std::optional<CurveSteps> fitHalf(size_t squares, int side) {
    const int64_t at = f_.centre, end = side > 0 ? kMostCurveInput : kLeastCurveInput;
    if (!isInside(at) || at == end || !isLine(at, -side)) return std::nullopt;
    return search(
        Shape::kHalf, side, squares, std::abs(end - at),
        [&](int64_t places) { return mayCut(at, side, places, false); },
        [&](int64_t places) { return pointsFrom(at, places, side, -side, 0); },
        [&](const Candidate& c) { return oneSided(c, at, side, true); });
  }

  std::optional<CurveSteps> oneSided(const Candidate& c, int64_t at, int side,
                                     bool has_line) const {
    constexpr int64_t kMostForLine = 4096;
    CurveSteps steps = empty();
    CurveUnit unit = unitWithoutLine();
    double constant = c.fit.constant;
    if (has_line) {
      const auto found = unitForLine(c.fit.slope, kMostForLine, bits_);
      if (!found) return std::nullopt;
      unit = *found;
      appendLine(at, -side, unit, steps.side);
      constant -= c.fit.slope * static_cast<double>(at);
    }
    const int64_t by = mostPerPlace(c.fit, c.places);
    if (by < 1) return std::nullopt;
    const ChainInput input = appendDistance(at, side, c.places, by, steps.main);
    if (!appendChain(c.fit, input, unit, bits_, steps.main)) return std::nullopt;
    if (has_line) steps.main.push_back({.kind = Kind::kAddSide});
    appendEnd(constant, unit, steps.main);
    return steps;
  }

  /// A chain of the distance from the centre, and a line on one side.
  std::optional<CurveSteps> fitFold(size_t squares, int side) {
    const int64_t at = f_.centre;
    if (!isInside(at) || !isFoldable(at)) return std::nullopt;
    return search(
        Shape::kFold, side, squares, std::max(at - kLeastCurveInput, kMostCurveInput - at),
        [&](int64_t places) {
          return mayCut(at, side, places, true) && mayCut(at, -side, places, false);
        },
        [&](int64_t places) { return pointsFrom(at, places, 0, side, 0); },
        [&](const Candidate& c) { return folded(c, at, side); });
  }

  std::optional<CurveSteps> folded(const Candidate& c, int64_t at, int side) const {
    const int64_t most = mostPerPlace(c.fit, c.places);
    if (most < 1) return std::nullopt;
    const auto unit = unitForLine(c.fit.slope, most, bits_);
    if (!unit) return std::nullopt;
    const int64_t by = unit->line_multiplier;
    CurveSteps steps = empty();
    appendLine(at, side, *unit, steps.side);
    // 2 max(x, at) - x is at + |x - at|, and 2 min(x, at) - x is at - |x - at|.
    steps.main = {curveMul(-by), {.kind = Kind::kAddSide}, {.kind = Kind::kAddSide}};
    if (c.places < std::max(at - kLeastCurveInput, kMostCurveInput - at)) {
      steps.main.push_back({.kind = side > 0 ? Kind::kMin : Kind::kMax,
                            .value = static_cast<int32_t>((at + side * c.places) * by)});
    }
    const ChainInput input{at * by, side, static_cast<double>(c.places * by)};
    if (!appendChain(c.fit, input, *unit, bits_, steps.main)) return std::nullopt;
    steps.main.push_back({.kind = Kind::kAddSide});
    appendEnd(c.fit.constant - c.fit.slope * static_cast<double>(at), *unit, steps.main);
    return steps;
  }

  /// A chain on each side of the centre.
  std::optional<CurveSteps> fitHalves(size_t squares) {
    const int64_t at = f_.centre;
    if (!isInside(at) || at - kLeastCurveInput < 4 || kMostCurveInput - at < 4) return std::nullopt;
    const std::optional<Candidate> left = bestHalf(squares, at, -1);
    if (!left) return std::nullopt;
    const std::optional<Candidate> right = bestHalf(squares, at, 1);
    if (!right) return std::nullopt;
    const CurveUnit unit = unitWithoutLine();
    CurveSteps steps = empty();
    const auto append = [&](const Candidate& c, int side, std::vector<CurveStep>& to) {
      const int64_t by = mostPerPlace(c.fit, c.places);
      if (by < 1) return false;
      const ChainInput input = appendDistance(at, side, c.places, by, to);
      return appendChain(c.fit, input, unit, bits_, to);
    };
    if (!append(*left, -1, steps.main) || !append(*right, 1, steps.side)) return std::nullopt;
    steps.main.push_back({.kind = Kind::kAddSide});
    // Where one side has its curve, the other one is at place 0.
    const double from_left = left->fit.constant - (right->fit.valueAt(0) - right->fit.constant);
    const double from_right = right->fit.constant - (left->fit.valueAt(0) - left->fit.constant);
    appendEnd((from_left + from_right) / 2, unit, steps.main);
    return finished(steps);
  }

  std::optional<Candidate> bestHalf(size_t squares, int64_t at, int side) {
    const int64_t reach = side > 0 ? kMostCurveInput - at : at - kLeastCurveInput;
    std::optional<Candidate> best;
    for (const double cut : kCuts) {
      const int64_t places = std::llround(cut * static_cast<double>(reach));
      if (places < 4 || !mayCut(at, side, places, false)) continue;
      Candidate candidate{
          longer({Shape::kOneOfTwo, side, places}, pointsFrom(at, places, side, 1, side), squares),
          places};
      const double error = candidate.fit.largest_error;
      if (!(error < kMostFitError) || (best && !(error < best->fit.largest_error))) continue;
      best = std::move(candidate);
    }
    return best;
  }

  /// A fit of `squares` squares that starts from the one with a square less, too.
  ChainFit longer(const std::tuple<Shape, int, int64_t>& key, const std::vector<ChainPoint>& points,
                  size_t squares) {
    const Shape shape = std::get<0>(key);
    const bool has_line = shape == Shape::kHalf || shape == Shape::kFold;
    const auto shorter = fits_.find(key);
    ChainFit fit =
        fitChain(points, squares, has_line, shorter == fits_.end() ? nullptr : &shorter->second);
    fits_[key] = fit;
    return fit;
  }

  const CurveFunction& f_;
  int bits_;
  std::map<std::tuple<Shape, int, int64_t>, ChainFit> fits_;  // by shape, side and places
};

}  // namespace

bool CurveFunction::isFinite() const {
  return std::ranges::all_of(values, [](double value) { return std::isfinite(value); });
}

CurveError curveError(const CurveFunction& function, const std::vector<int64_t>& results) {
  const auto inputs = static_cast<double>(function.values.size());
  CurveError error;
  for (size_t i = 0; i < results.size(); ++i) {
    const double exact = std::clamp(function.values[i], static_cast<double>(kLeastCurveInput),
                                    static_cast<double>(kMostCurveInput));
    const auto entry = static_cast<int64_t>(std::nearbyint(exact));
    const int64_t difference = std::abs(results[i] - entry);
    error.largest_difference = std::max(error.largest_difference, difference);
    error.differing_entries += difference != 0;
    const auto square = [&](int64_t y) {
      return (static_cast<double>(y) - exact) * (static_cast<double>(y) - exact) / inputs;
    };
    error.noise += square(results[i]);
    error.table_noise += square(entry);
    if (function.shares.empty()) continue;
    const double share = function.shares[i];
    error.usual_noise += share * inputs * square(results[i]);
    error.usual_table_noise += share * inputs * square(entry);
    error.usual_shift += share * (static_cast<double>(results[i]) - exact);
    error.usual_table_shift += share * (static_cast<double>(entry) - exact);
  }
  return error;
}

std::optional<CurveError> curveError(const CurveFunction& function, const CurveSteps& steps) {
  std::vector<int64_t> results;
  for (int64_t x = kLeastCurveInput; x <= kMostCurveInput; ++x) {
    const std::optional<int64_t> result = curveResult(steps, x);
    if (!result) return std::nullopt;
    results.push_back(*result);
  }
  return curveError(function, results);
}

bool isClose(const CurveError& error) {
  return error.largest_difference <= 1 && error.noise <= error.table_noise + kMostCurveNoise &&
         error.usual_noise <= error.usual_table_noise + kMostCurveNoise &&
         std::abs(error.usual_shift) <= std::abs(error.usual_table_shift) + kMostCurveShift;
}

std::optional<CurveSteps> fitCurve(const CurveFunction& function, int multiplier_bits) {
  if (!function.isFinite()) return std::nullopt;
  return CurveFitter(function, multiplier_bits).run();
}

}  // namespace vta::compiler
