// From 32-bit sums to int8 results: the steps of host_cpu/schedule/integer_finish.h.
#include "host_cpu/schedule/integer_finish.h"

#include <limits>
#include <vector>

#include "host_cpu/blocked/integers.h"

namespace vta::codegen::blocked {
namespace {

using namespace mlir;

/// As convertQmul of graph_to_linalg, with a shift for each lane.
Value emitQmul(Builder& b, Value x, Value multiplier, Value shift) {
  auto wide = VectorType::get({kBlock}, b.getI64Type());
  const auto number = [&](int64_t value) { return integerSplat(b, wide, value); };
  Value value = b.create<arith::MulIOp>(b.create<arith::ExtSIOp>(wide, x),
                                        b.create<arith::ExtSIOp>(wide, multiplier));
  shift = b.create<arith::ExtSIOp>(wide, shift);
  // Half of what is shifted away, and one less for negative products; nothing if nothing is.
  Value half = b.create<arith::ShRUIOp>(b.create<arith::ShLIOp>(number(1), shift), number(1));
  Value sign = b.create<arith::ShRSIOp>(value, number(63));
  Value has_half = b.create<arith::CmpIOp>(arith::CmpIPredicate::ne, half, number(0));
  sign = b.create<arith::SelectOp>(has_half, sign, number(0));
  value = b.create<arith::AddIOp>(b.create<arith::AddIOp>(value, half), sign);
  value = b.create<arith::ShRSIOp>(value, shift);
  value = b.create<arith::MaxSIOp>(value, number(std::numeric_limits<int32_t>::min()));
  value = b.create<arith::MinSIOp>(value, number(std::numeric_limits<int32_t>::max()));
  return b.create<arith::TruncIOp>(x.getType(), value);
}

/// The upper 32 bits of products. LLVM knows this form: it takes no more than a shuffle of `x`, two
/// multiplications and a permutation with vectors of 64-bit products.
Value emitUpperHalf(Builder& b, Value x, Value y) {
  auto wide = VectorType::get({kBlock}, b.getI64Type());
  Value product =
      b.create<arith::MulIOp>(b.create<arith::ExtSIOp>(wide, x), b.create<arith::ExtSIOp>(wide, y));
  product = b.create<arith::ShRSIOp>(product, integerSplat(b, wide, 32));
  return b.create<arith::TruncIOp>(x.getType(), product);
}

/// graph.qmul by a factor of upper_halves.h. `away`: halves of negative products go down.
Value emitUpperQmul(Builder& b, Value x, Value factor, Value rounding, Value shift, bool away) {
  Value high = emitUpperHalf(b, x, factor);
  if (away) {
    // One less for negative products changes their upper half only where the lower one is zero.
    Value zero = integerSplat(b, x.getType(), 0);
    Value low = b.create<arith::MulIOp>(x, factor);
    Value is_half = b.create<arith::AndIOp>(
        b.create<arith::CmpIOp>(arith::CmpIPredicate::eq, low, zero).getResult(),
        b.create<arith::CmpIOp>(arith::CmpIPredicate::slt, high, zero).getResult());
    high = b.create<arith::AddIOp>(high, b.create<arith::ExtSIOp>(x.getType(), is_half));
  }
  return b.create<arith::ShRSIOp>(b.create<arith::AddIOp>(high, rounding), shift);
}

/// As shiftByValue of graph_to_linalg: amounts from -32 to 31.
Value emitShift(Builder& b, Value x, Value amount) {
  Type type = x.getType();
  Value zero = integerSplat(b, type, 0), mask = integerSplat(b, type, 31);
  Value back = b.create<arith::AndIOp>(b.create<arith::SubIOp>(zero, amount), mask);
  Value left = b.create<arith::ShLIOp>(x, back);
  Value right = b.create<arith::ShRSIOp>(x, b.create<arith::AndIOp>(amount, mask));
  Value all_out =
      b.create<arith::CmpIOp>(arith::CmpIPredicate::eq, amount, integerSplat(b, type, -32));
  left = b.create<arith::SelectOp>(all_out, zero, left);
  Value is_left = b.create<arith::CmpIOp>(arith::CmpIPredicate::slt, amount, zero);
  return b.create<arith::SelectOp>(is_left, left, right);
}

Value emitBinary(Builder& b, char step, Value x, Value y) {
  switch (step) {
    case 'a':
      return b.create<arith::AddIOp>(x, y);
    case 'd':
      return b.create<arith::SubIOp>(x, y);
    case 'p':
      return b.create<arith::MulIOp>(x, y);
    case 'u':
      return b.create<arith::MaxSIOp>(x, y);
    case 'l':
      return b.create<arith::MinSIOp>(x, y);
    default:
      return emitShift(b, x, y);
  }
}

}  // namespace

Value emitFinish(Builder& b, const std::string& formula, Value sum, ValueRange images,
                 llvm::function_ref<Value(int64_t)> constant) {
  std::vector<Value> stack;
  const auto pop = [&stack] {
    Value top = stack.back();
    stack.pop_back();
    return top;
  };
  int64_t next = 0;
  for (const char step : formula) {
    if (step == 's') {
      stack.push_back(sum);
    } else if (step == 'x' || step == 'y') {
      stack.push_back(images[step - 'x']);
    } else if (step == 'c') {
      stack.push_back(constant(next++));
    } else if (step == 'k') {
      Value bounded = b.create<arith::MaxSIOp>(pop(), constant(next));
      stack.push_back(b.create<arith::MinSIOp>(bounded, constant(next + 1)));
      next += 2;
    } else if (step == 'e') {
      stack.push_back(b.create<arith::ShLIOp>(pop(), constant(next++)));
    } else if (step == 'h' || step == 'n') {
      Value right = pop(), left = pop();
      stack.push_back(
          emitUpperQmul(b, left, right, constant(next), constant(next + 1), step == 'h'));
      next += 2;
    } else {
      Value right = pop(), left = pop();
      stack.push_back(step == 'q' ? emitQmul(b, left, right, constant(next++))
                                  : emitBinary(b, step, left, right));
    }
  }
  return stack.back();
}

}  // namespace vta::codegen::blocked
