// gpu-expand-wide-integers: what arith-emulate-wide-int does not know of integers of 64 bits.
#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>

#include "host_gpu/legalise/passes.h"
#include "llvm/ADT/TypeSwitch.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Pass/Pass.h"

namespace vta::codegen {

#define GEN_PASS_DEF_GPUEXPANDWIDEINTEGERSPASS
#include "host_gpu/legalise/passes.h.inc"

namespace {

using namespace mlir;

constexpr unsigned kPairBits = 64, kHalfOfPairBits = 32;

bool isPair(Type type) { return type.isInteger(kPairBits); }

/// Emits what one op computes, by ops on 64 bits that have a form in words, and by ops on words.
class PairEmitter {
 public:
  explicit PairEmitter(Operation* op) : b_(op->getLoc(), op) {}
  explicit PairEmitter(ImplicitLocOpBuilder b) : b_(std::move(b)) {}

  Value low(Value pair) { return b_.create<arith::TruncIOp>(b_.getI32Type(), pair); }
  Value high(Value pair) { return low(shiftedRight(pair, kHalfOfPairBits)); }
  Value joined(Value low, Value high) {
    Value upper = b_.create<arith::ShLIOp>(widened(high), number(kHalfOfPairBits));
    return b_.create<arith::OrIOp>(upper, widened(low));
  }

  /// By words, with what the low ones borrow of the high ones.
  Value difference(Value x, Value y) {
    const Value low_x = low(x), low_y = low(y);
    const Value borrows = b_.create<arith::CmpIOp>(arith::CmpIPredicate::ult, low_x, low_y);
    const Value borrowed = b_.create<arith::ExtUIOp>(b_.getI32Type(), borrows);
    const Value high_words = b_.create<arith::SubIOp>(high(x), high(y));
    return joined(b_.create<arith::SubIOp>(low_x, low_y),
                  b_.create<arith::SubIOp>(high_words, borrowed));
  }

  Value magnitude(Value x) { return b_.create<arith::SelectOp>(isNegative(x), negative(x), x); }

  /// By fewer than 64 bits, none among them, for which MLIR's emulation shifts a word by 32.
  Value shiftedLeft(Value x, Value amount) {
    const Shift by = shiftBy(low(amount));
    const Value low_x = low(x);
    Value spilled = b_.create<arith::ShRUIOp>(low_x, number(1, kHalfOfPairBits));
    spilled = b_.create<arith::ShRUIOp>(spilled, by.rest);
    const Value low_word = b_.create<arith::ShLIOp>(low_x, by.in_word);
    Value high_word = b_.create<arith::ShLIOp>(high(x), by.in_word);
    high_word = b_.create<arith::OrIOp>(high_word, spilled);
    const Value zero = number(0, kHalfOfPairBits);
    return joined(b_.create<arith::SelectOp>(by.is_word, zero, low_word),
                  b_.create<arith::SelectOp>(by.is_word, low_word, high_word));
  }

  /// As shiftedLeft(). `Op` shifts words.
  template <typename Op>
  Value shiftedRight(Value x, Value amount) {
    const Shift by = shiftBy(low(amount));
    const Value high_x = high(x);
    Value spilled = b_.create<arith::ShLIOp>(high_x, number(1, kHalfOfPairBits));
    spilled = b_.create<arith::ShLIOp>(spilled, by.rest);
    const Value high_word = b_.create<Op>(high_x, by.in_word);
    Value low_word = b_.create<arith::ShRUIOp>(low(x), by.in_word);
    low_word = b_.create<arith::OrIOp>(low_word, spilled);
    const Value most = number(kHalfOfPairBits - 1, kHalfOfPairBits);
    Value empty = number(0, kHalfOfPairBits);
    if constexpr (std::is_same_v<Op, arith::ShRSIOp>) {
      empty = b_.create<arith::ShRSIOp>(high_x, most);
    }
    return joined(b_.create<arith::SelectOp>(by.is_word, high_word, low_word),
                  b_.create<arith::SelectOp>(by.is_word, empty, high_word));
  }

  /// Rounded to the nearest float, of two with the same distance to the even one.
  Value toFloat(Value x, bool is_signed) {
    const Value size = is_signed ? magnitude(x) : x;
    // What is more than 48 bits loses 16, of which one bit says whether any was set: it is far
    // below the last digit of the float.
    constexpr unsigned kManyBits = 48, kLost = 16, kDigits = 24;
    const Value is_large = differs(shiftedRight(size, kManyBits), number(0));
    const Value lost = b_.create<arith::AndIOp>(size, number((1 << kLost) - 1));
    const Value rest = b_.create<arith::ExtUIOp>(b_.getI64Type(), differs(lost, number(0)));
    const Value shorter = b_.create<arith::OrIOp>(shiftedRight(size, kLost), rest);
    const Value bits = b_.create<arith::SelectOp>(is_large, shorter, size);
    // Each half is a float that has all its digits, so that only their sum is rounded.
    const auto converted = [&](Value word) -> Value {
      return b_.create<arith::SIToFPOp>(b_.getF32Type(), word);
    };
    Value upper = converted(low(shiftedRight(bits, kDigits)));
    upper = b_.create<arith::MulFOp>(upper, real(0x1p24F));
    const Value mask = number((1 << kDigits) - 1, kHalfOfPairBits);
    const Value lower = converted(b_.create<arith::AndIOp>(low(bits), mask).getResult());
    Value sum = b_.create<arith::AddFOp>(upper, lower);
    sum = b_.create<arith::SelectOp>(is_large,
                                     b_.create<arith::MulFOp>(sum, real(0x1p16F)).getResult(), sum);
    if (!is_signed) return sum;
    return b_.create<arith::SelectOp>(isNegative(x), b_.create<arith::NegFOp>(sum).getResult(),
                                      sum);
  }

  /// Of a float from -2^63 to below 2^63: its digits, shifted by its exponent.
  Value fromFloat(Value x) {
    constexpr int64_t kDigits = 23, kExponents = 255, kExponentOfDigits = 150;
    const auto word = [&](int64_t value) { return number(value, kHalfOfPairBits); };
    const Value bits = b_.create<arith::BitcastOp>(b_.getI32Type(), x);
    Value exponent = b_.create<arith::ShRUIOp>(bits, word(kDigits));
    exponent = b_.create<arith::AndIOp>(exponent, word(kExponents));
    Value digits = b_.create<arith::AndIOp>(bits, word((1 << kDigits) - 1));
    digits = b_.create<arith::OrIOp>(digits, word(1 << kDigits));
    const auto amount = [&](Value value, int64_t most) -> Value {
      const Value least = b_.create<arith::MaxSIOp>(value, word(0));
      return b_.create<arith::MinSIOp>(least, word(most));
    };
    const Value left = b_.create<arith::SubIOp>(exponent, word(kExponentOfDigits));
    const Value right = b_.create<arith::SubIOp>(word(kExponentOfDigits), exponent);
    const Value whole = b_.create<arith::ShRUIOp>(digits, amount(right, kHalfOfPairBits - 1));
    const Value size = shiftedLeft(widened(whole), widened(amount(left, kPairBits - 1)));
    const Value below = b_.create<arith::CmpIOp>(arith::CmpIPredicate::slt, bits, word(0));
    return b_.create<arith::SelectOp>(below, negative(size), size);
  }

  /// A place in a tensor. Tensors have fewer elements than 32 bits count, so that a number that
  /// needs more is outside of them, and has to remain so.
  Value toIndex(Value x) {
    using Word = std::numeric_limits<int32_t>;
    x = b_.create<arith::MaxSIOp>(x, number(Word::min()));
    x = b_.create<arith::MinSIOp>(x, number(Word::max()));
    return b_.create<arith::IndexCastOp>(b_.getIndexType(), low(x));
  }

  struct Division {
    Value quotient, remainder;
  };

  /// Of unsigned numbers, bit by bit. A division by zero gives anything.
  Division divided(Value x, Value y) {
    const auto index = [&](int64_t value) -> Value {
      return b_.create<arith::ConstantIndexOp>(value);
    };
    auto loop =
        b_.create<scf::ForOp>(index(0), index(kPairBits), index(1), ValueRange{x, number(0)});
    {
      const OpBuilder::InsertionGuard leaves(b_);
      b_.setInsertionPointToStart(loop.getBody());
      // The bits that are left of x, behind those of the quotient.
      const Value bits = loop.getRegionIterArg(0), before = loop.getRegionIterArg(1);
      const Value next = shiftedRight(bits, kPairBits - 1);
      Value rest = b_.create<arith::ShLIOp>(before, number(1));
      rest = b_.create<arith::OrIOp>(rest, next);
      // The rest may have a 65th bit, which `before` shows.
      Value fits = b_.create<arith::CmpIOp>(arith::CmpIPredicate::uge, rest, y);
      fits = b_.create<arith::OrIOp>(fits, isNegative(before));
      rest = b_.create<arith::SelectOp>(fits, difference(rest, y), rest);
      Value quotient = b_.create<arith::ShLIOp>(bits, number(1));
      quotient = b_.create<arith::OrIOp>(
          quotient, b_.create<arith::ExtUIOp>(b_.getI64Type(), fits).getResult());
      b_.create<scf::YieldOp>(ValueRange{quotient, rest});
    }
    return {loop.getResult(0), loop.getResult(1)};
  }

  /// Truncated towards zero; the remainder has the sign of x.
  Division dividedSigned(Value x, Value y) {
    const Division sizes = divided(magnitude(x), magnitude(y));
    const Value signs = b_.create<arith::XOrIOp>(x, y);
    return {b_.create<arith::SelectOp>(isNegative(signs), negative(sizes.quotient), sizes.quotient),
            b_.create<arith::SelectOp>(isNegative(x), negative(sizes.remainder), sizes.remainder)};
  }

 private:
  /// How far words are shifted: by `in_word`, which is less than a word, and by a whole one.
  struct Shift {
    Value in_word, rest, is_word;  // rest: what is left of a word but one bit
  };

  Shift shiftBy(Value amount) {
    const Value most = number(kHalfOfPairBits - 1, kHalfOfPairBits);
    const Value in_word = b_.create<arith::AndIOp>(amount, most);
    const Value is_word = b_.create<arith::CmpIOp>(arith::CmpIPredicate::ugt, amount, most);
    return {in_word, b_.create<arith::SubIOp>(most, in_word), is_word};
  }

  Value number(int64_t value, unsigned bits = kPairBits) {
    return b_.create<arith::ConstantIntOp>(value, bits);
  }
  Value real(float value) {
    return b_.create<arith::ConstantFloatOp>(APFloat(value), b_.getF32Type());
  }
  Value widened(Value word) { return b_.create<arith::ExtUIOp>(b_.getI64Type(), word); }
  Value shiftedRight(Value x, unsigned bits) { return b_.create<arith::ShRUIOp>(x, number(bits)); }
  Value negative(Value x) { return difference(number(0), x); }
  Value isNegative(Value x) {
    return b_.create<arith::CmpIOp>(arith::CmpIPredicate::slt, x, number(0));
  }
  Value differs(Value x, Value y) {
    return b_.create<arith::CmpIOp>(arith::CmpIPredicate::ne, x, y);
  }

  ImplicitLocOpBuilder b_;
};

bool isKnown(Value value) { return matchPattern(value, m_Constant()); }

/// What `op` computes, in another way; null: it stays.
Value expandedPair(Operation* op) {
  PairEmitter pairs(op);
  const bool takes_pair = op->getNumOperands() > 0 && isPair(op->getOperand(0).getType());
  const bool makes_pair = op->getNumResults() == 1 && isPair(op->getResult(0).getType());
  if (takes_pair) {
    const Value x = op->getOperand(0);
    if (isa<arith::SIToFPOp>(op)) return pairs.toFloat(x, /*is_signed=*/true);
    if (isa<arith::UIToFPOp>(op)) return pairs.toFloat(x, /*is_signed=*/false);
    if (isa<arith::IndexCastOp>(op)) return pairs.toIndex(x);
  }
  if (!makes_pair) return {};
  return llvm::TypeSwitch<Operation*, Value>(op)
      .Case([&](arith::SubIOp sub) { return pairs.difference(sub.getLhs(), sub.getRhs()); })
      .Case([&](arith::ShLIOp shift) {
        return isKnown(shift.getRhs()) ? Value()
                                       : pairs.shiftedLeft(shift.getLhs(), shift.getRhs());
      })
      .Case([&](arith::ShRUIOp shift) {
        return isKnown(shift.getRhs())
                   ? Value()
                   : pairs.shiftedRight<arith::ShRUIOp>(shift.getLhs(), shift.getRhs());
      })
      .Case([&](arith::ShRSIOp shift) {
        return isKnown(shift.getRhs())
                   ? Value()
                   : pairs.shiftedRight<arith::ShRSIOp>(shift.getLhs(), shift.getRhs());
      })
      .Case([&](math::AbsIOp abs) { return pairs.magnitude(abs.getOperand()); })
      .Case([&](arith::FPToSIOp cast) { return pairs.fromFloat(cast.getIn()); })
      .Case([&](arith::DivUIOp div) { return pairs.divided(div.getLhs(), div.getRhs()).quotient; })
      .Case([&](arith::RemUIOp rem) { return pairs.divided(rem.getLhs(), rem.getRhs()).remainder; })
      .Case([&](arith::DivSIOp div) {
        return pairs.dividedSigned(div.getLhs(), div.getRhs()).quotient;
      })
      .Case([&](arith::RemSIOp rem) {
        return pairs.dividedSigned(rem.getLhs(), rem.getRhs()).remainder;
      })
      .Default([](Operation*) { return Value(); });
}

/// Two words for each value of 64 bits.
SmallVector<Value> wordsOf(ImplicitLocOpBuilder b, ValueRange values) {
  PairEmitter pairs(std::move(b));
  SmallVector<Value> words;
  for (const Value value : values) {
    if (isPair(value.getType())) {
      words.append({pairs.low(value), pairs.high(value)});
    } else {
      words.push_back(value);
    }
  }
  return words;
}

/// Replaces `values` by those that `words` are the words of.
void replaceByWords(ImplicitLocOpBuilder b, ValueRange values, ValueRange words) {
  PairEmitter pairs(std::move(b));
  size_t next = 0;
  for (Value value : values) {
    if (isPair(value.getType())) {
      value.replaceAllUsesWith(pairs.joined(words[next], words[next + 1]));
      next += 2;
    } else {
      value.replaceAllUsesWith(words[next++]);
    }
  }
}

void splitYield(Block& block) {
  auto yield = cast<scf::YieldOp>(block.getTerminator());
  yield->setOperands(wordsOf(ImplicitLocOpBuilder(yield.getLoc(), yield), yield.getOperands()));
}

/// A loop that carries two words for each value of 64 bits.
void splitCarried(scf::ForOp loop) {
  ImplicitLocOpBuilder b(loop.getLoc(), loop);
  auto made = b.create<scf::ForOp>(loop.getLowerBound(), loop.getUpperBound(), loop.getStep(),
                                   wordsOf(b, loop.getInitArgs()));
  made->setDiscardableAttrs(loop->getDiscardableAttrDictionary());
  Block* from = loop.getBody();
  Block* to = made.getBody();
  splitYield(*from);
  to->getOperations().splice(to->end(), from->getOperations());
  loop.getInductionVar().replaceAllUsesWith(made.getInductionVar());
  replaceByWords(ImplicitLocOpBuilder::atBlockBegin(loop.getLoc(), to), loop.getRegionIterArgs(),
                 made.getRegionIterArgs());
  replaceByWords(b, loop.getResults(), made.getResults());
  loop.erase();
}

/// A branch with two words for each result of 64 bits.
void splitResults(scf::IfOp branch) {
  ImplicitLocOpBuilder b(branch.getLoc(), branch);
  splitYield(*branch.thenBlock());
  splitYield(*branch.elseBlock());
  auto made = b.create<scf::IfOp>(branch.thenYield().getOperandTypes(), branch.getCondition(),
                                  /*addThenBlock=*/false, /*addElseBlock=*/false);
  made.getThenRegion().takeBody(branch.getThenRegion());
  made.getElseRegion().takeBody(branch.getElseRegion());
  replaceByWords(b, branch.getResults(), made.getResults());
  branch.erase();
}

class GpuExpandWideIntegersPass
    : public impl::GpuExpandWideIntegersPassBase<GpuExpandWideIntegersPass> {
 public:
  void runOnOperation() override {
    getOperation().walk([](Operation* op) {
      const Value made = expandedPair(op);
      if (!made) return;
      op->getResult(0).replaceAllUsesWith(made);
      op->erase();
    });
    // Also the loops that expansions have made.
    getOperation().walk([](Operation* op) {
      if (llvm::none_of(op->getResultTypes(), isPair)) return;
      if (auto loop = dyn_cast<scf::ForOp>(op)) splitCarried(loop);
      if (auto branch = dyn_cast<scf::IfOp>(op)) splitResults(branch);
    });
  }
};

}  // namespace
}  // namespace vta::codegen
