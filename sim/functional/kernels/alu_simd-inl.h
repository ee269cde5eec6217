// Vectorised ALU, narrowing and widening, compiled once per Highway target by kernels_simd.cpp.
// Lane counts are multiples of 4: whole vectors first, then 128-bit ones.

// Per-target include guard.
#if defined(VTA_SIM_FUNCTIONAL_ALU_SIMD_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef VTA_SIM_FUNCTIONAL_ALU_SIMD_INL_H_
#undef VTA_SIM_FUNCTIONAL_ALU_SIMD_INL_H_
#else
#define VTA_SIM_FUNCTIONAL_ALU_SIMD_INL_H_
#endif

#include <hwy/highway.h>

#include <cstddef>
#include <cstdint>

#include "isa/spec/accumulator.h"
#include "sim/functional/kernels/kernels.h"

HWY_BEFORE_NAMESPACE();
namespace vta::sim {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

struct MinOp {
  template <class D, class V>
  HWY_INLINE V operator()(D, V x, V y) const {
    return hn::Min(x, y);
  }
};

struct MaxOp {
  template <class D, class V>
  HWY_INLINE V operator()(D, V x, V y) const {
    return hn::Max(x, y);
  }
};

struct AddOp {
  template <class D, class V>
  HWY_INLINE V operator()(D, V x, V y) const {
    return hn::Add(x, y);
  }
};

struct MulOp {
  template <class D, class V>
  HWY_INLINE V operator()(D, V x, V y) const {
    return hn::Mul(x, y);
  }
};

/// Shift by the low 6 bits of each lane of y, signed.
struct ShrOp {
  template <class D, class V>
  HWY_INLINE V operator()(D d, V x, V y) const {
    const V zero = hn::Zero(d);
    const V amount = hn::ShiftRight<26>(hn::ShiftLeft<26>(y));
    const V right = hn::Shr(x, hn::Max(amount, zero));
    const V left_amount = hn::Neg(hn::Min(amount, zero));
    const V left = hn::Shl(x, hn::Min(left_amount, hn::Set(d, 31)));
    const V left_or_zero = hn::IfThenElseZero(hn::Lt(left_amount, hn::Set(d, 32)), left);
    return hn::IfThenElse(hn::Lt(amount, zero), left_or_zero, right);
  }
};

struct ShrImmOp {  // amount 0 to 31
  int amount;
  template <class D, class V>
  HWY_INLINE V operator()(D, V x, V /*y*/) const {
    return hn::ShiftRightSame(x, amount);
  }
};

struct ShlImmOp {  // amount 1 to 31
  int amount;
  template <class D, class V>
  HWY_INLINE V operator()(D, V x, V /*y*/) const {
    return hn::ShiftLeftSame(x, amount);
  }
};

struct ZeroOp {
  template <class D, class V>
  HWY_INLINE V operator()(D d, V /*x*/, V /*y*/) const {
    return hn::Zero(d);
  }
};

struct ClipOp {
  int32_t lo, hi;
  template <class D, class V>
  HWY_INLINE V operator()(D d, V x, V /*y*/) const {
    return hn::Min(hn::Max(x, hn::Set(d, lo)), hn::Set(d, hi));
  }
};

/// sat(round(x * m / 2^shift)), ties away from zero, m the sign-extended low multiplier bits of y.
struct QmulOp {
  int shift;
  int unused_bits;  // 32 - multiplier bits
  AccumulatorRange range;

  template <class D64, class V64>
  HWY_INLINE V64 roundAndSaturate(D64 d64, V64 product) const {
    if (shift > 0) {
      const V64 half = hn::Set(d64, int64_t{1} << (shift - 1));
      const V64 negative = hn::BroadcastSignBit(product);  // -1 where below zero
      product = hn::ShiftRightSame(hn::Add(hn::Add(product, half), negative), shift);
    }
    product = hn::Max(product, hn::Set(d64, int64_t{range.least}));
    return hn::Min(product, hn::Set(d64, int64_t{range.most}));
  }

  template <class D, class V>
  HWY_INLINE V operator()(D d, V x, V y) const {
    const hn::Repartition<int64_t, D> d64;
    const hn::Repartition<uint64_t, D> du64;
    const V m = hn::ShiftRightSame(hn::ShiftLeftSame(y, unused_bits), unused_bits);
    const auto odd = [&](V v) HWY_ATTR {
      return hn::BitCast(d, hn::ShiftRight<32>(hn::BitCast(du64, v)));
    };
    const auto even_result = roundAndSaturate(d64, hn::MulEven(x, m));
    const auto odd_result = roundAndSaturate(d64, hn::MulEven(odd(x), odd(m)));
    const auto low = hn::And(even_result, hn::Set(d64, int64_t{0xffffffff}));
    return hn::BitCast(d, hn::Or(low, hn::ShiftLeft<32>(odd_result)));
  }
};

inline QmulOp qmulOf(const AluCall& call, int shift) {
  return {shift, 32 - call.qmul_multiplier_bits, accumulatorRange(call.acc_width_bits)};
}

/// x where it is not negative, elsewhere what QMUL gives.
struct PreluOp {
  QmulOp scale;

  template <class D, class V>
  HWY_INLINE V operator()(D d, V x, V y) const {
    return hn::IfThenElse(hn::Lt(x, hn::Zero(d)), scale(d, x, y), x);
  }
};

template <class Op>
HWY_INLINE void aluLoop(const AluCall& call, Op op) {
  const hn::FixedTag<int32_t, HWY_MAX_BYTES / 4> d;
  const hn::FixedTag<int32_t, 4> d4;
  const auto imm = hn::Set(d, call.imm);
  const auto imm4 = hn::Set(d4, call.imm);
  int32_t* dst = call.dst;
  const int32_t* src = call.src;
  size_t i = 0;
  if (src == nullptr) {
    for (; i + hn::Lanes(d) <= call.lanes; i += hn::Lanes(d)) {
      hn::StoreU(op(d, hn::LoadU(d, dst + i), imm), d, dst + i);
    }
    for (; i < call.lanes; i += 4) hn::StoreU(op(d4, hn::LoadU(d4, dst + i), imm4), d4, dst + i);
    return;
  }
  for (; i + hn::Lanes(d) <= call.lanes; i += hn::Lanes(d)) {
    hn::StoreU(op(d, hn::LoadU(d, dst + i), hn::LoadU(d, src + i)), d, dst + i);
  }
  for (; i < call.lanes; i += 4) {
    hn::StoreU(op(d4, hn::LoadU(d4, dst + i), hn::LoadU(d4, src + i)), d4, dst + i);
  }
}

/// ADD of the bias, QMUL, CLIP.
HWY_INLINE void requant(const AluCall& call) {
  const QmulOp scale = qmulOf(call, call.shift);
  const int unused_bits = kAccDramBits - call.acc_width_bits;
  const ClipOp clip = {byteRangeOf(call.imm).low, byteRangeOf(call.imm).high};
  const auto step = [&](auto d, size_t i) HWY_ATTR {
    auto sum = hn::Add(hn::LoadU(d, call.dst + i), hn::LoadU(d, call.bias + i));
    sum = hn::ShiftRightSame(hn::ShiftLeftSame(sum, unused_bits), unused_bits);
    const auto y = hn::LoadU(d, call.src + i);
    hn::StoreU(clip(d, scale(d, sum, y), y), d, call.dst + i);
  };
  const hn::FixedTag<int32_t, HWY_MAX_BYTES / 4> d;
  const hn::FixedTag<int32_t, 4> d4;
  size_t i = 0;
  for (; i + hn::Lanes(d) <= call.lanes; i += hn::Lanes(d)) step(d, i);
  for (; i < call.lanes; i += 4) step(d4, i);
}

inline void shrImmediate(const AluCall& call) {
  const int amount = ((call.imm & 63) ^ 32) - 32;  // low 6 bits, signed
  if (amount >= 0) return aluLoop(call, ShrImmOp{amount});
  if (amount > -32) return aluLoop(call, ShlImmOp{-amount});
  return aluLoop(call, ZeroOp{});
}

inline void alu(const AluCall& call) {
  switch (call.opcode) {
    case AluOpcode::kMin:
      return aluLoop(call, MinOp{});
    case AluOpcode::kMax:
      return aluLoop(call, MaxOp{});
    case AluOpcode::kAdd:
      return aluLoop(call, AddOp{});
    case AluOpcode::kShr:
      return call.src ? aluLoop(call, ShrOp{}) : shrImmediate(call);
    case AluOpcode::kMul:
      return aluLoop(call, MulOp{});
    case AluOpcode::kQmul:
      return aluLoop(call, qmulOf(call, call.imm));
    case AluOpcode::kPrelu:
      return aluLoop(call, PreluOp{qmulOf(call, call.imm)});
    case AluOpcode::kRequant:
      return requant(call);
    case AluOpcode::kTable:
    case AluOpcode::kLut:
      return;  // have a table: AluEngine
    case AluOpcode::kClip:
      return aluLoop(call, ClipOp{byteRangeOf(call.imm).low, byteRangeOf(call.imm).high});
  }
}

inline void narrow(const int32_t* HWY_RESTRICT src, size_t lanes, int8_t* HWY_RESTRICT dst) {
  for (size_t i = 0; i < lanes; ++i) dst[i] = static_cast<int8_t>(src[i]);
}

inline void widen(const int8_t* HWY_RESTRICT src, size_t lanes, int32_t* HWY_RESTRICT dst) {
  for (size_t i = 0; i < lanes; ++i) dst[i] = src[i];
}

}  // namespace HWY_NAMESPACE
}  // namespace vta::sim
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
