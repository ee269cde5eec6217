#include "host_gpu/legalise/trigonometric.h"

#include <array>
#include <limits>
#include <numbers>
#include <utility>

namespace vta::codegen {
namespace {

using namespace mlir;

constexpr unsigned kTableWordBits = 32;
/// Bits of 2/pi behind the point, behind a word of zeros.
constexpr std::array<uint32_t, 8> kTwoOverPi = {0,          0xA2F9836E, 0x4E441529, 0xFC2757D1,
                                                0xF534DDC0, 0xDB629599, 0x3C439041, 0xFE5163AB};
/// The first words of the table that an angle may need.
constexpr unsigned kFirstWords = 5;

/// An angle as a number of quarter turns and a rest of half a quarter turn at most.
struct Reduced {
  Value quarters;  // i32, of which the last two bits count
  Value rest;      // f32
};

class AngleReducer {
 public:
  explicit AngleReducer(FloatBuilder& b) : b_(b) {}

  /// `size` is not negative.
  Reduced reduce(Value size) {
    Value bits = b_.create<arith::BitcastOp>(b_.getI32Type(), size);
    // size = mantissa * 2^(exponent - 150)
    Value exponent = b_.create<arith::ShRUIOp>(bits, b_.word(23));
    Value mantissa = orOf(b_.create<arith::AndIOp>(bits, b_.word(0x7FFFFF)), b_.word(1U << 23));
    const auto [high, low] = turns(mantissa, window(exponent));
    // Two bits in front of the point, 62 behind it. The nearest whole number is taken away.
    Value below = orOf(shiftLeft(high, 2), b_.create<arith::ShRUIOp>(low, b_.word(30)));
    Value last = shiftLeft(low, 2);
    Value is_above = b_.create<arith::CmpIOp>(arith::CmpIPredicate::slt, below, b_.word(0));
    Value quarters = b_.create<arith::AddIOp>(b_.create<arith::ShRUIOp>(high, b_.word(30)),
                                              b_.choose(is_above, b_.word(1), b_.word(0)));
    Value rest = angleOf(b_.choose(is_above, negatedHigh(below, last), below),
                         b_.choose(is_above, b_.create<arith::SubIOp>(b_.word(0), last), last));
    rest = b_.choose(is_above, b_.neg(rest), rest);
    // Angles below an eighth of a turn stay as they are.
    Value is_small = b_.less(size, b_.real(std::numbers::pi_v<float> / 4));
    return {b_.choose(is_small, b_.word(0), quarters), b_.choose(is_small, size, rest)};
  }

 private:
  Value orOf(Value x, Value y) { return b_.create<arith::OrIOp>(x, y); }
  Value shiftLeft(Value x, uint32_t bits) { return b_.create<arith::ShLIOp>(x, b_.word(bits)); }

  /// The three words of 2/pi * 2^(exponent - 150) from the bit of weight 2 on. Those in front give
  /// whole turns with every mantissa.
  std::array<Value, 3> window(Value exponent) {
    // The bit of weight 2^-i of 2/pi has to have the weight 2; that of the table's first bit is
    // 2^31.
    constexpr uint32_t kOffset = 150 - (kTableWordBits - 2);
    Value first_bit = b_.create<arith::SubIOp>(exponent, b_.word(kOffset));
    first_bit = b_.create<arith::MaxSIOp>(first_bit, b_.word(0));  // what small angles have
    Value word = b_.create<arith::ShRUIOp>(first_bit, b_.word(5));
    Value shift = b_.create<arith::AndIOp>(first_bit, b_.word(kTableWordBits - 1));
    Value rest_of_shift = b_.create<arith::SubIOp>(b_.word(kTableWordBits - 1), shift);
    std::array<Value, 4> words;
    for (unsigned i = 0; i < words.size(); ++i) words[i] = tableWord(word, i);
    std::array<Value, 3> shifted;
    for (unsigned i = 0; i < shifted.size(); ++i) {
      Value following = b_.create<arith::ShRUIOp>(words[i + 1], b_.word(1));
      shifted[i] = orOf(b_.create<arith::ShLIOp>(words[i], shift),
                        b_.create<arith::ShRUIOp>(following, rest_of_shift));
    }
    return shifted;
  }

  /// kTwoOverPi[word + offset]
  Value tableWord(Value word, unsigned offset) {
    Value found = b_.word(kTwoOverPi[kFirstWords - 1 + offset]);
    for (unsigned i = kFirstWords - 1; i-- > 0;) {
      Value is_it = b_.create<arith::CmpIOp>(arith::CmpIPredicate::eq, word, b_.word(i));
      found = b_.choose(is_it, b_.word(kTwoOverPi[i + offset]), found);
    }
    return found;
  }

  /// The first 64 bits of the product of 24 and 96 bits, without what is in front of them.
  std::pair<Value, Value> turns(Value mantissa, const std::array<Value, 3>& words) {
    auto last = b_.create<arith::MulUIExtendedOp>(mantissa, words[2]);
    auto middle = b_.create<arith::MulUIExtendedOp>(mantissa, words[1]);
    auto low = b_.create<arith::AddUIExtendedOp>(middle.getLow(), last.getHigh());
    Value carry = b_.choose(low.getOverflow(), b_.word(1), b_.word(0));
    Value high = b_.create<arith::AddIOp>(b_.create<arith::MulIOp>(mantissa, words[0]),
                                          b_.create<arith::AddIOp>(middle.getHigh(), carry));
    return {high, low.getSum()};
  }

  /// The first word of the negative of two.
  Value negatedHigh(Value high, Value low) {
    Value is_zero = b_.create<arith::CmpIOp>(arith::CmpIPredicate::eq, low, b_.word(0));
    Value inverted = b_.create<arith::XOrIOp>(high, b_.word(0xFFFFFFFF));
    return b_.create<arith::AddIOp>(inverted, b_.choose(is_zero, b_.word(1), b_.word(0)));
  }

  /// Of so many parts of 2^64 of a quarter turn.
  Value angleOf(Value high, Value low) {
    constexpr float kHigh = 0x1p-32F, kLow = 0x1p-64F;
    Value whole = b_.mul(b_.create<arith::UIToFPOp>(b_.getF32Type(), high), b_.real(kHigh));
    Value part = b_.mul(b_.create<arith::UIToFPOp>(b_.getF32Type(), low), b_.real(kLow));
    return b_.mul(b_.add(whole, part), b_.real(std::numbers::pi_v<float> / 2));
  }

  FloatBuilder& b_;
};

Value polynomial(FloatBuilder& b, Value x, std::initializer_list<float> highest_first) {
  const auto* coefficient = highest_first.begin();
  Value sum = b.real(*coefficient);
  while (++coefficient != highest_first.end()) sum = b.add(b.mul(sum, x), b.real(*coefficient));
  return sum;
}

/// The sine of a rest and so many quarter turns.
Value sineOf(FloatBuilder& b, const Reduced& angle) {
  Value square = b.mul(angle.rest, angle.rest);
  Value of_sine = polynomial(b, square, {-1.9515295891e-4F, 8.3321608736e-3F, -1.6666654611e-1F});
  Value sine = b.add(angle.rest, b.mul(b.mul(angle.rest, square), of_sine));
  Value of_cosine =
      polynomial(b, square, {2.443315711809948e-5F, -1.388731625493765e-3F, 4.166664568298827e-2F});
  Value cosine =
      b.add(b.sub(b.real(1), b.mul(b.real(0.5F), square)), b.mul(b.mul(square, square), of_cosine));
  const auto bitIsSet = [&](uint32_t bit) -> Value {
    return b.create<arith::CmpIOp>(arith::CmpIPredicate::ne,
                                   b.create<arith::AndIOp>(angle.quarters, b.word(bit)), b.word(0));
  };
  Value value = b.choose(bitIsSet(1), cosine, sine);
  return b.choose(bitIsSet(2), b.neg(value), value);
}

/// NaN for infinities and NaN.
Value ofFinite(FloatBuilder& b, Value x, Value value) {
  Value is_finite = b.less(b.abs(x), b.real(std::numeric_limits<float>::infinity()));
  return b.choose(is_finite, value, b.real(std::numeric_limits<float>::quiet_NaN()));
}

}  // namespace

Value sine(FloatBuilder& b, Value x) {
  Value of_size = sineOf(b, AngleReducer(b).reduce(b.abs(x)));
  Value is_negative = b.less(b.create<math::CopySignOp>(b.real(1), x), b.real(0));
  return ofFinite(b, x, b.choose(is_negative, b.neg(of_size), of_size));
}

Value cosine(FloatBuilder& b, Value x) {
  Reduced angle = AngleReducer(b).reduce(b.abs(x));
  angle.quarters = b.create<arith::AddIOp>(angle.quarters, b.word(1));
  return ofFinite(b, x, sineOf(b, angle));
}

}  // namespace vta::codegen
