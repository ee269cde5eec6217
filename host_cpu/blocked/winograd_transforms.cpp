#include "host_cpu/blocked/winograd_transforms.h"

#include <algorithm>

namespace vta::codegen::blocked {
namespace {

using namespace mlir;

/// Emits sums of vectors times constants, in one order for all CPUs.
class Combiner {
 public:
  Combiner(Builder& b, const CpuTraits& traits) : b_(b), traits_(traits) {}

  Value sum(Value x, Value y) { return b_.create<arith::AddFOp>(x, y); }
  Value difference(Value x, Value y) { return b_.create<arith::SubFOp>(x, y); }

  /// sum + factor * x
  Value plus(Value sum, double factor, Value x) {
    if (factor == 1) return this->sum(sum, x);
    if (factor == -1) return difference(sum, x);
    return multiplyAdd(b_, traits_, constant(x, factor), x, sum);
  }

  /// The sum of factors[i] * values[i] over i in `places`, begun with a factor of one if there is.
  Value combine(ArrayRef<double> factors, ArrayRef<Value> values, ArrayRef<size_t> places) {
    SmallVector<size_t> order;
    for (const size_t i : places) {
      if (factors[i] != 0) order.push_back(i);
    }
    std::stable_partition(order.begin(), order.end(), [&](size_t i) { return factors[i] == 1; });
    Value result = values[order[0]];
    if (factors[order[0]] != 1) {
      result = b_.create<arith::MulFOp>(constant(result, factors[order[0]]), result);
    }
    for (const size_t i : ArrayRef(order).drop_front())
      result = plus(result, factors[i], values[i]);
    return result;
  }

 private:
  Value constant(Value like, double value) {
    return splat(b_, cast<VectorType>(like.getType()), value);
  }

  Builder& b_;
  const CpuTraits& traits_;
};

SmallVector<size_t> placesUpTo(size_t count, size_t first, size_t step) {
  SmallVector<size_t> places;
  for (size_t i = first; i < count; i += step) places.push_back(i);
  return places;
}

/// input * pixels. The polynomials of a point and of its negative have the same even and the
/// opposite odd coefficients, or the other way round.
SmallVector<Value> combineInput(Combiner& c, const Matrix& input, ArrayRef<Value> pixels) {
  const size_t count = input.size();
  const SmallVector<size_t> all = placesUpTo(count, 0, 1);
  SmallVector<Value> result(count);
  result.front() = c.combine(input.front(), pixels, all);
  result.back() = c.combine(input.back(), pixels, all);
  for (size_t row = 1; row + 1 < count; row += 2) {
    SmallVector<size_t> same, opposite;
    std::vector<double> factors = input[row];
    double common = 0;  // of the opposite ones
    for (const size_t i : all) {
      if (factors[i] == 0) continue;
      (input[row + 1][i] == factors[i] ? same : opposite).push_back(i);
      if (input[row + 1][i] != factors[i]) common = factors[i];
    }
    for (const size_t i : opposite) factors[i] /= common;
    Value even = c.combine(factors, pixels, same), odd = c.combine(factors, pixels, opposite);
    result[row] = c.plus(even, common, odd);
    result[row + 1] = c.plus(even, -common, odd);
  }
  return result;
}

/// output * sums. The powers of a point and of its negative are the same or opposite.
SmallVector<Value> combineOutput(Combiner& c, const Matrix& output, ArrayRef<Value> sums) {
  // What even and odd powers multiply: the first position of a pair stands for both.
  SmallVector<Value> even(sums), odd(sums);
  for (size_t i = 1; i + 1 < sums.size(); i += 2) {
    even[i] = c.sum(sums[i], sums[i + 1]);
    odd[i] = c.difference(sums[i], sums[i + 1]);
  }
  SmallVector<size_t> places = placesUpTo(sums.size(), 1, 2);  // of pairs, and infinity
  places.insert(places.begin(), 0);
  SmallVector<Value> result;
  for (size_t y = 0; y < output.size(); ++y) {
    result.push_back(c.combine(output[y], y % 2 == 0 ? even : odd, places));
  }
  return result;
}

using Combine = SmallVector<Value> (*)(Combiner&, const Matrix&, ArrayRef<Value>);

/// The columns first, then the rows.
Square inBothDirections(Combiner& c, const Matrix& matrix, const Square& square, Combine combine) {
  Square half(matrix.size()), result;
  for (size_t x = 0; x < square.size(); ++x) {
    SmallVector<Value> column;
    for (const auto& row : square) column.push_back(row[x]);
    for (auto [row, value] : llvm::zip(half, combine(c, matrix, column))) row.push_back(value);
  }
  for (const auto& row : half) result.push_back(combine(c, matrix, row));
  return result;
}

}  // namespace

Square transformInput(Builder& b, const CpuTraits& traits, const WinogradTransform& transform,
                      const Square& pixels) {
  Combiner combiner(b, traits);
  return inBothDirections(combiner, transform.input, pixels, combineInput);
}

Square transformOutput(Builder& b, const CpuTraits& traits, const WinogradTransform& transform,
                       const Square& sums) {
  Combiner combiner(b, traits);
  return inBothDirections(combiner, transform.output, sums, combineOutput);
}

}  // namespace vta::codegen::blocked
