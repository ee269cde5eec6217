#include "host_cpu/blocked/emit.h"

#include <algorithm>

namespace vta::codegen::blocked {

using namespace mlir;

Value linear(Builder& b, Value a, int64_t factor, int64_t offset) {
  if (factor != 1) a = b.create<arith::MulIOp>(a, index(b, factor));
  if (offset != 0) a = b.create<arith::AddIOp>(a, index(b, offset));
  return a;
}

Value add(Builder& b, Value x, Value y) { return b.create<arith::AddIOp>(x, y); }

VectorType blockType(Builder& b) { return VectorType::get({kBlock}, b.getF32Type()); }

Value splat(Builder& b, double value) { return splat(b, blockType(b), value); }

Value splat(Builder& b, VectorType type, double value) {
  return b.create<arith::ConstantOp>(DenseElementsAttr::get(type, static_cast<float>(value)));
}

Value loadBlock(Builder& b, Value buffer, ValueRange indices) {
  auto type = cast<MemRefType>(buffer.getType());
  const int64_t lanes = std::min(type.getShape().back(), kBlock);
  return b.create<vector::LoadOp>(VectorType::get({lanes}, type.getElementType()), buffer, indices);
}

void storeBlock(Builder& b, Value value, Value buffer, ValueRange indices) {
  b.create<vector::StoreOp>(value, buffer, indices);
}

Value multiplyAdd(Builder& b, const CpuTraits& traits, Value x, Value y, Value z) {
  // Not vector.fma: that only allows LLVM to fuse, which the target's options forbid.
  if (traits.has_fma) return b.create<math::FmaOp>(x, y, z);
  return b.create<arith::AddFOp>(b.create<arith::MulFOp>(x, y), z);
}

Value activate(Builder& b, const Activation& activation, Value x) {
  const auto type = cast<VectorType>(x.getType());
  auto less = [&](Value lhs, Value rhs) -> Value {
    return b.create<arith::CmpFOp>(arith::CmpFPredicate::OLT, lhs, rhs);
  };
  switch (activation.kind) {
    case Activation::Kind::kNone:
      return x;
    case Activation::Kind::kRelu: {
      Value zero = splat(b, type, 0);
      return b.create<arith::SelectOp>(less(x, zero), zero, x);
    }
    case Activation::Kind::kClip: {
      Value low = splat(b, type, activation.low), high = splat(b, type, activation.high);
      x = b.create<arith::SelectOp>(less(x, low), low, x);
      return b.create<arith::SelectOp>(less(high, x), high, x);
    }
    case Activation::Kind::kLeakyRelu: {
      Value scaled = b.create<arith::MulFOp>(x, splat(b, type, activation.low));
      return b.create<arith::SelectOp>(less(x, splat(b, type, 0)), scaled, x);
    }
  }
  return x;
}

Value tileStart(Builder& b, Value tile, int64_t size, int64_t extent) {
  Value start = linear(b, tile, size, 0);
  if (extent % size == 0) return start;
  return b.create<arith::MinSIOp>(start, index(b, extent - size));
}

void parallel(Builder& b, ArrayRef<int64_t> extents,
              llvm::function_ref<void(Builder&, ValueRange)> body) {
  SmallVector<Value> lower, upper, step;
  for (int64_t extent : extents) {
    lower.push_back(index(b, 0));
    upper.push_back(index(b, extent));
    step.push_back(index(b, 1));
  }
  b.create<scf::ParallelOp>(lower, upper, step,
                            [&](OpBuilder& inner, Location loc, ValueRange variables) {
                              Builder nested(loc, inner);
                              body(nested, variables);
                            });
}

SmallVector<Value> loop(Builder& b, Value begin, Value end, ValueRange carried,
                        llvm::function_ref<SmallVector<Value>(Builder&, Value, ValueRange)> body) {
  auto op = b.create<scf::ForOp>(begin, end, index(b, 1), carried,
                                 [&](OpBuilder& inner, Location loc, Value i, ValueRange values) {
                                   Builder nested(loc, inner);
                                   SmallVector<Value> results = body(nested, i, values);
                                   nested.create<scf::YieldOp>(results);
                                 });
  return SmallVector<Value>(op.getResults());
}

void loop(Builder& b, int64_t count, llvm::function_ref<void(Builder&, Value)> body) {
  loop(b, index(b, 0), index(b, count), {}, [&](Builder& nested, Value i, ValueRange) {
    body(nested, i);
    return SmallVector<Value>();
  });
}

}  // namespace vta::codegen::blocked
