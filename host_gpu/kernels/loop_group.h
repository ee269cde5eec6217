// Numbers of loops, and where in memory they lead, as ops of a kernel.
#pragma once

#include "host_gpu/kernels/contraction.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace vta::codegen {

/// Memory that the workgroup shares: the gpu dialect's conversions number its space so. Aligned to
/// `alignment_bytes`, if they are given.
inline mlir::Value allocateShared(mlir::ImplicitLocOpBuilder& b, int64_t elems, mlir::Type type,
                                  std::optional<int64_t> alignment_bytes = {}) {
  constexpr int64_t kWorkgroupSpace = 3;
  const auto memory =
      mlir::MemRefType::get({elems}, type, mlir::AffineMap(), b.getI64IntegerAttr(kWorkgroupSpace));
  const mlir::IntegerAttr alignment =
      alignment_bytes ? b.getI64IntegerAttr(*alignment_bytes) : mlir::IntegerAttr();
  return b.create<mlir::memref::AllocOp>(memory, alignment);
}

/// Index arithmetic on known and unknown numbers.
class Indices {
 public:
  explicit Indices(mlir::ImplicitLocOpBuilder& b) : b_(b) {}

  mlir::Value number(int64_t value) { return b_.create<mlir::arith::ConstantIndexOp>(value); }
  mlir::Value add(mlir::Value x, mlir::Value y) {
    return b_.createOrFold<mlir::arith::AddIOp>(x, y);
  }
  mlir::Value add(mlir::Value x, int64_t y) { return y == 0 ? x : add(x, number(y)); }
  mlir::Value multiply(mlir::Value x, int64_t y) {
    return y == 1 ? x : b_.createOrFold<mlir::arith::MulIOp>(x, number(y));
  }
  mlir::Value quotient(mlir::Value x, int64_t y) {
    return y == 1 ? x : b_.createOrFold<mlir::arith::DivUIOp>(x, number(y));
  }
  mlir::Value remainder(mlir::Value x, int64_t y) {
    return b_.createOrFold<mlir::arith::RemUIOp>(x, number(y));
  }
  mlir::Value isBelow(mlir::Value x, int64_t y) {
    return b_.create<mlir::arith::CmpIOp>(mlir::arith::CmpIPredicate::ult, x, number(y));
  }
  /// Whether `number`, which goes in blocks of `block`, is one of `count`; null: it always is.
  /// `may_end`: whole blocks may be behind the end.
  mlir::Value isInside(mlir::Value number, int64_t count, int64_t block, bool may_end = false) {
    return count % block == 0 && !may_end ? mlir::Value() : isBelow(number, count);
  }
  /// Whether both conditions hold; null: always.
  mlir::Value both(mlir::Value x, mlir::Value y) {
    if (!x || !y) return x ? x : y;
    return b_.create<mlir::arith::AndIOp>(x, y);
  }

 private:
  mlir::ImplicitLocOpBuilder& b_;
};

/// The element of `buffer` that is `known` behind `place`, as `convert` gives it, or zero where
/// `inside` is false: what is read then is the element `known`, which the buffer has. Null: it is
/// true.
inline mlir::Value loadInside(mlir::ImplicitLocOpBuilder& b, mlir::Value buffer, mlir::Value place,
                              int64_t known, mlir::Value inside,
                              llvm::function_ref<mlir::Value(mlir::Value)> convert) {
  Indices indices(b);
  if (inside) place = b.create<mlir::arith::SelectOp>(inside, place, indices.number(0));
  // The known part comes last, so that passes see which places are neighbours.
  const mlir::Value value =
      convert(b.create<mlir::memref::LoadOp>(buffer, indices.add(place, known)));
  if (!inside) return value;
  const mlir::Value zero = b.create<mlir::arith::ConstantOp>(b.getZeroAttr(value.getType()));
  return b.create<mlir::arith::SelectOp>(inside, value, zero);
}

/// What `operand` has of `element`: widened for the product, if its elements are.
inline mlir::Value widenedElement(mlir::ImplicitLocOpBuilder& b, const LinearOperand& operand,
                                  mlir::Value element) {
  if (operand.extension == nullptr) return element;
  mlir::IRMapping mapping;
  mapping.map(operand.extension->getOperand(0), element);
  return b.clone(*operand.extension, mapping)->getResult(0);
}

/// Several loops of a contraction that one number counts, the last of them fastest.
class LoopGroup {
 public:
  LoopGroup(const Contraction& contraction, mlir::ArrayRef<unsigned> loops)
      : extents_(contraction.extents), loops_(loops), count_(contraction.count(loops)) {}

  int64_t count() const { return count_; }

  /// What `number` adds to the place of an element of `operand`; null: nothing.
  mlir::Value offset(Indices& indices, mlir::Value number, const LinearOperand& operand) const {
    const auto strides = stridesOf(operand);
    mlir::Value sum;
    for (size_t i = strides.size(); i-- > 0;) {
      const auto [extent, coefficient] = strides[i];
      const mlir::Value digit = i == 0 ? number : indices.remainder(number, extent);
      if (i > 0) number = indices.quotient(number, extent);
      if (coefficient == 0) continue;
      const mlir::Value term = indices.multiply(digit, coefficient);
      sum = sum ? indices.add(sum, term) : term;
    }
    return sum;
  }

  /// How far neighbouring numbers are from each other, if that is the same for all.
  std::optional<int64_t> stride(const LinearOperand& operand) const {
    const auto strides = stridesOf(operand);
    if (strides.empty()) return 0;
    return strides.size() == 1 ? std::optional(strides.front().coefficient) : std::nullopt;
  }

  /// The same for numbers of a group of `count`, whose first is a multiple of it.
  std::optional<int64_t> strideWithin(const LinearOperand& operand, int64_t count) const {
    const auto strides = stridesOf(operand);
    if (strides.size() < 2 || strides.back().extent % count != 0) return stride(operand);
    return strides.back().coefficient;
  }

  /// Whether neighbouring numbers are neighbours in memory.
  bool walksMemory(const LinearOperand& operand) const {
    return !loops_.empty() && operand.coefficients[loops_.back()] == 1;
  }

 private:
  struct Stride {
    int64_t extent, coefficient;
  };

  /// The loops, where those that walk through the operand as one loop would are one.
  mlir::SmallVector<Stride> stridesOf(const LinearOperand& operand) const {
    mlir::SmallVector<Stride> strides;
    for (const unsigned loop : loops_) {
      const Stride next{extents_[loop], operand.coefficients[loop]};
      if (!strides.empty() && strides.back().coefficient == next.coefficient * next.extent) {
        strides.back() = {strides.back().extent * next.extent, next.coefficient};
      } else {
        strides.push_back(next);
      }
    }
    return strides;
  }

  mlir::ArrayRef<int64_t> extents_;
  mlir::ArrayRef<unsigned> loops_;
  int64_t count_;
};

}  // namespace vta::codegen
