// Vectorised GEMM and packing, compiled once per Highway target by kernels_simd.cpp.
//
// Registers: one accumulator vector per (row, output-channel vector), kept across the whole
// reduction; the weights of a few lane groups ("G") are loaded once and meet every row. A lane
// group is 32 bits of inputs, four bytes or two int16, broadcast against one weight vector.

// Per-target include guard.
#if defined(VTA_SIM_FUNCTIONAL_GEMM_SIMD_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef VTA_SIM_FUNCTIONAL_GEMM_SIMD_INL_H_
#undef VTA_SIM_FUNCTIONAL_GEMM_SIMD_INL_H_
#else
#define VTA_SIM_FUNCTIONAL_GEMM_SIMD_INL_H_
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "sim/functional/kernels/kernels.h"

HWY_BEFORE_NAMESPACE();
namespace vta::sim {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

#if HWY_TARGET == HWY_AVX3_DL
inline constexpr bool kByteDot = true;
#else
inline constexpr bool kByteDot = false;
#endif

inline constexpr int kLanesPerGroup = kByteDot ? 4 : 2;  // input channels of one 32-bit lane group
inline constexpr int kVectorLanes = HWY_MAX_BYTES / 4;

/// acc + dot product of each 32-bit lane group. Inline assembly rather than the intrinsic: this
/// target is compiled with AVX-VNNI but not AVX512-VNNI enabled, and the assembler's EVEX form is
/// the one that every AVX3_DL machine has.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V dot(D /*tag*/, V inputs, V weights, V acc) {
#if HWY_TARGET == HWY_AVX3_DL
  asm("%{evex%} vpdpbusd %2, %1, %0" : "+v"(acc.raw) : "v"(inputs.raw), "v"(weights.raw));
  return acc;
#else
  const D d;
  const hn::Repartition<int16_t, D> d16;
  const auto a = hn::BitCast(d16, inputs);
  const auto b = hn::BitCast(d16, weights);
  V high = hn::Zero(d);
#if HWY_ARCH_X86
  return hn::ReorderWidenMulAccumulate(d, a, b, acc, high);  // pair sums; leaves `high` alone
#else
  const V low = hn::ReorderWidenMulAccumulate(d, a, b, hn::Zero(d), high);
  return hn::Add(acc, hn::RearrangeToOddPlusEven(low, high));
#endif
#endif
}

/// Bytes of the weights of one output-channel vector, with their correction.
inline uint32_t wgtVectorBytes(int block_in, int lanes) {
  const int groups = block_in / kLanesPerGroup;
  return static_cast<uint32_t>((groups + (kByteDot ? 1 : 0)) * lanes * 4);
}

inline int lanesFor(int block_out) { return std::min(block_out, kVectorLanes); }

inline uint32_t packedInpRowBytes(int block_in) {
  return static_cast<uint32_t>(block_in * 4 / kLanesPerGroup);
}

inline uint32_t packedWgtBytes(int block_in, int block_out) {
  const int lanes = lanesFor(block_out);
  return wgtVectorBytes(block_in, lanes) * static_cast<uint32_t>(block_out / lanes);
}

HWY_INLINE int32_t loadGroup(const uint8_t* p) {
  int32_t bits;
  std::memcpy(&bits, p, sizeof(bits));
  return bits;
}

/// kRows rows x kVectors output-channel vectors from vector `first_vector` on, in registers;
/// kUnroll lane groups' weights at a time, which divides the number of groups.
template <int kLanes, int kRows, int kVectors, int kUnroll>
class GemmTile {
 public:
  HWY_INLINE GemmTile(const GemmCall& call, const GemmRow* HWY_RESTRICT rows, int first_vector)
      : call_(call),
        rows_(rows),
        first_vector_(first_vector),
        groups_(call.block_in / kLanesPerGroup),
        vector_bytes_(wgtVectorBytes(call.block_in, kLanes)) {
    HWY_UNROLL(16)
    for (int r = 0; r < kRows; ++r) {
      inp_[r] = call.inp + rows[r].inp_offset_bytes;
      HWY_UNROLL(4)
      for (int v = 0; v < kVectors; ++v) {
        HWY_UNROLL(4)
        for (int s = 0; s < kSplit; ++s) acc_[r][v][s] = hn::Zero(D());
      }
    }
    HWY_UNROLL(4)
    for (int v = 0; v < kVectors; ++v) correction_[v] = hn::Zero(D());
  }

  HWY_INLINE void add(const GemmStep& step) {
    const uint8_t* HWY_RESTRICT wgt =
        call_.wgt + step.wgt_offset_bytes + first_vector_ * vector_bytes_;
    size_t inp_offset = step.inp_offset_bytes;
    int g = 0;
    do {
      addGroups(wgt, inp_offset);
      wgt += size_t{kUnroll} * kLanes * 4;
      inp_offset += size_t{kUnroll} * 4;
      g += kUnroll;
    } while (g < groups_);
    if constexpr (kByteDot) {
      HWY_UNROLL(4)
      for (int v = 0; v < kVectors; ++v) {
        correction_[v] = hn::Add(correction_[v], loadWords(wgt + v * vector_bytes_));
      }
    }
  }

  /// Adds the sums to the accumulators, row after row: two of them may have the same one.
  HWY_INLINE void store() const {
    HWY_UNROLL(16)
    for (int r = 0; r < kRows; ++r) {
      HWY_UNROLL(4)
      for (int v = 0; v < kVectors; ++v) {
        int32_t* out = call_.acc + rows_[r].acc_offset_lanes + size_t{kLanes} * (first_vector_ + v);
        V sum = hn::Add(hn::LoadU(D(), out), correction_[v]);
        HWY_UNROLL(4)
        for (int s = 0; s < kSplit; ++s) sum = hn::Add(sum, acc_[r][v][s]);
        hn::StoreU(sum, D(), out);
      }
    }
  }

 private:
  using D = hn::FixedTag<int32_t, kLanes>;
  using V = hn::Vec<D>;
  // Few rows give too few independent chains to hide the latency: split each sum.
  static constexpr int kSplit =
      kRows * kVectors <= 2 ? kUnroll : (kRows * kVectors <= 4 ? (kUnroll + 1) / 2 : 1);

  static HWY_INLINE V loadWords(const uint8_t* p) {
    return hn::LoadU(D(), reinterpret_cast<const int32_t*>(p));
  }

  /// kUnroll lane groups of every row.
  HWY_INLINE void addGroups(const uint8_t* HWY_RESTRICT wgt, size_t inp_offset) {
    V weights[kUnroll][kVectors];
    HWY_UNROLL(4)
    for (int u = 0; u < kUnroll; ++u) {
      HWY_UNROLL(4)
      for (int v = 0; v < kVectors; ++v) {
        weights[u][v] = loadWords(wgt + v * vector_bytes_ + size_t{4} * u * kLanes);
      }
    }
    HWY_UNROLL(16)
    for (int r = 0; r < kRows; ++r) {
      HWY_UNROLL(4)
      for (int u = 0; u < kUnroll; ++u) {
        const V inputs = hn::Set(D(), loadGroup(inp_[r] + inp_offset + size_t{4} * u));
        HWY_UNROLL(4)
        for (int v = 0; v < kVectors; ++v) {
          V& acc = acc_[r][v][u % kSplit];
          acc = dot(D(), inputs, weights[u][v], acc);
        }
      }
    }
  }

  const GemmCall& call_;
  const GemmRow* HWY_RESTRICT rows_;
  int first_vector_;
  int groups_;
  size_t vector_bytes_;
  const uint8_t* inp_[kRows];
  V acc_[kRows][kVectors][kSplit];
  V correction_[kVectors];  // of 8-bit dot products
};

template <int kLanes, int kRows, int kVectors, int kUnroll>
HWY_NOINLINE void gemmTile(const GemmCall& call, const GemmRow* rows, int first_vector) {
  GemmTile<kLanes, kRows, kVectors, kUnroll> tile(call, rows, first_vector);
  for (const GemmStep& step : call.steps) tile.add(step);
  tile.store();
}

/// All rows against kVectors vectors: full tiles, then powers of two down to one row.
template <int kLanes, int kMaxRows, int kVectors, int kUnroll>
HWY_INLINE void gemmRows(const GemmCall& call, int first_vector) {
  const GemmRow* row = call.rows.data();
  const GemmRow* const end = row + call.rows.size();
  for (; end - row >= kMaxRows; row += kMaxRows) {
    gemmTile<kLanes, kMaxRows, kVectors, kUnroll>(call, row, first_vector);
  }
  if constexpr (kMaxRows > 8) {
    if (end - row >= 8) {
      gemmTile<kLanes, 8, kVectors, kUnroll>(call, row, first_vector);
      row += 8;
    }
  }
  if constexpr (kMaxRows > 4) {
    if (end - row >= 4) {
      gemmTile<kLanes, 4, kVectors, kUnroll>(call, row, first_vector);
      row += 4;
    }
  }
  if (end - row >= 2) {
    gemmTile<kLanes, 2, kVectors, kUnroll>(call, row, first_vector);
    row += 2;
  }
  if (end - row >= 1) gemmTile<kLanes, 1, kVectors, kUnroll>(call, row, first_vector);
}

template <int kLanes>
HWY_INLINE void gemmVectors(const GemmCall& call) {
  const int vectors = call.block_out / kLanes;
  const int groups = call.block_in / kLanesPerGroup;
#if HWY_TARGET <= HWY_AVX3  // 32 vector registers
  constexpr int kRows = 16, kPairRows = 8, kUnroll = 4;
#else
  constexpr int kRows = 8, kPairRows = 4, kUnroll = 2;
#endif
  int v = 0;
  for (; v + 2 <= vectors; v += 2) {
    if (groups % 2 == 0) {
      gemmRows<kLanes, kPairRows, 2, kUnroll / 2>(call, v);
    } else {
      gemmRows<kLanes, kPairRows, 2, 1>(call, v);
    }
  }
  if (v == vectors) return;
  if (groups % kUnroll == 0) {
    gemmRows<kLanes, kRows, 1, kUnroll>(call, v);
  } else if (groups % 2 == 0) {
    gemmRows<kLanes, kRows, 1, 2>(call, v);
  } else {
    gemmRows<kLanes, kRows, 1, 1>(call, v);
  }
}

inline void gemm(const GemmCall& call) {
  if (call.steps.empty()) return;
  const int lanes = lanesFor(call.block_out);
  if (lanes == kVectorLanes) return gemmVectors<kVectorLanes>(call);
#if HWY_MAX_BYTES >= 64
  if (lanes == 8) return gemmVectors<8>(call);
#endif
#if HWY_MAX_BYTES >= 32
  if (lanes == 4) return gemmVectors<4>(call);
#endif
}

inline void packInp(const int8_t* HWY_RESTRICT inp, size_t bytes, uint8_t* HWY_RESTRICT packed) {
  if constexpr (kByteDot) {
    for (size_t i = 0; i < bytes; ++i) packed[i] = static_cast<uint8_t>(inp[i]) ^ 0x80u;
  } else {
    auto* out = reinterpret_cast<int16_t*>(packed);
    for (size_t i = 0; i < bytes; ++i) out[i] = inp[i];
  }
}

/// out[g][lane] = in[lane][g] on 32-bit words, `groups` words a row of `in`.
inline void transposeWords(const uint8_t* HWY_RESTRICT in, size_t groups, size_t lanes,
                           uint8_t* HWY_RESTRICT out) {
  if (groups % 4 != 0 || lanes % 4 != 0) {
    for (size_t lane = 0; lane < lanes; ++lane) {
      for (size_t g = 0; g < groups; ++g) {
        std::memcpy(out + (g * lanes + lane) * 4, in + (lane * groups + g) * 4, 4);
      }
    }
    return;
  }
  const hn::FixedTag<uint32_t, 4> d;
  const hn::FixedTag<uint64_t, 2> d64;
  const auto word = [](const uint8_t* p) { return reinterpret_cast<const uint32_t*>(p); };
  for (size_t lane = 0; lane < lanes; lane += 4) {
    for (size_t g = 0; g < groups; g += 4) {
      const uint8_t* p = in + (lane * groups + g) * 4;
      const auto a = hn::LoadU(d, word(p));
      const auto b = hn::LoadU(d, word(p + groups * 4));
      const auto c = hn::LoadU(d, word(p + groups * 8));
      const auto e = hn::LoadU(d, word(p + groups * 12));
      const auto ab_lo = hn::BitCast(d64, hn::InterleaveLower(d, a, b));
      const auto ab_hi = hn::BitCast(d64, hn::InterleaveUpper(d, a, b));
      const auto ce_lo = hn::BitCast(d64, hn::InterleaveLower(d, c, e));
      const auto ce_hi = hn::BitCast(d64, hn::InterleaveUpper(d, c, e));
      auto* q = reinterpret_cast<uint64_t*>(out + (g * lanes + lane) * 4);
      const size_t pitch = lanes / 2;
      hn::StoreU(hn::InterleaveLower(d64, ab_lo, ce_lo), d64, q);
      hn::StoreU(hn::InterleaveUpper(d64, ab_lo, ce_lo), d64, q + pitch);
      hn::StoreU(hn::InterleaveLower(d64, ab_hi, ce_hi), d64, q + 2 * pitch);
      hn::StoreU(hn::InterleaveUpper(d64, ab_hi, ce_hi), d64, q + 3 * pitch);
    }
  }
}

/// Writes -128 * (sum of an output channel's weights) behind the vector at `packed`.
template <class D>
HWY_INLINE void storeCorrection(D d, int groups, uint8_t* packed) {
  auto* words = reinterpret_cast<int32_t*>(packed);
  auto sum = hn::Zero(d);
  const auto offset = hn::Set(d, static_cast<int32_t>(0x80808080u));
  for (int g = 0; g < groups; ++g)
    sum = dot(d, offset, hn::LoadU(d, words + g * hn::Lanes(d)), sum);
  hn::StoreU(hn::Neg(sum), d, words + groups * hn::Lanes(d));
}

inline void storeCorrections(int lanes, int groups, size_t vectors, size_t vector_bytes,
                             uint8_t* packed) {
  for (size_t v = 0; v < vectors; ++v, packed += vector_bytes) {
    if (lanes == kVectorLanes)
      storeCorrection(hn::FixedTag<int32_t, kVectorLanes>(), groups, packed);
#if HWY_MAX_BYTES >= 64
    if (lanes == 8) storeCorrection(hn::FixedTag<int32_t, 8>(), groups, packed);
#endif
#if HWY_MAX_BYTES >= 32
    if (lanes == 4) storeCorrection(hn::FixedTag<int32_t, 4>(), groups, packed);
#endif
  }
}

inline void packWgt(const int8_t* wgt, size_t elements, int block_in, int block_out,
                    uint8_t* packed) {
  const int lanes = lanesFor(block_out);
  const int groups = block_in / kLanesPerGroup;
  const auto row_weights = static_cast<size_t>(block_in);
  const auto row_count = static_cast<size_t>(lanes);
  const size_t vectors = elements * static_cast<size_t>(block_out / lanes);
  const size_t vector_weights = row_count * row_weights;
  const size_t vector_bytes = wgtVectorBytes(block_in, lanes);
  for (size_t v = 0; v < vectors; ++v) {
    const int8_t* in = wgt + v * vector_weights;
    uint8_t* out = packed + v * vector_bytes;
    if constexpr (kByteDot) {
      transposeWords(reinterpret_cast<const uint8_t*>(in), groups, lanes, out);
    } else {
      constexpr size_t kChunk = 512;  // rows of up to 512 weights; wider ones go word by word
      HWY_ALIGN int16_t wide[kChunk];
      const size_t rows_per_chunk = kChunk / static_cast<size_t>(block_in);
      if (vector_weights <= kChunk && rows_per_chunk > 0) {
        for (size_t i = 0; i < vector_weights; ++i) wide[i] = in[i];
        transposeWords(reinterpret_cast<const uint8_t*>(wide), groups, lanes, out);
      } else {
        auto* words = reinterpret_cast<int16_t*>(out);
        for (size_t lane = 0; lane < row_count; ++lane) {
          for (size_t ic = 0; ic < row_weights; ++ic) {
            words[(ic / 2 * row_count + lane) * 2 + ic % 2] = in[lane * row_weights + ic];
          }
        }
      }
    }
  }
  if constexpr (kByteDot) storeCorrections(lanes, groups, vectors, vector_bytes, packed);
}

}  // namespace HWY_NAMESPACE
}  // namespace vta::sim
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
