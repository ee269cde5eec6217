// Four independent FNV-1a lanes over 64-bit words, so that the multiplications overlap.
#include <array>
#include <cstring>

#include "module/module_file.h"

#if defined(__ARM_NEON) && !defined(__aarch64__)
#include <arm_neon.h>
#endif

namespace vta {
namespace {

constexpr uint64_t kPrime = 0x100000001b3;
constexpr int kShift = 29;

using Lanes = std::array<uint64_t, 4>;
constexpr Lanes kFirstLanes = {0xcbf29ce484222325, 1, 2, 3};

constexpr void mix(uint64_t& lane, uint64_t word) {
  lane = (lane ^ word) * kPrime;
  lane ^= lane >> kShift;
}

#if defined(__ARM_NEON) && !defined(__aarch64__)

/// mix() for two lanes. A 32-bit core needs some thirty instructions for each word without it.
inline uint64x2_t mixTwo(uint64x2_t lanes, uint64x2_t words) {
  constexpr uint32_t kLowPrime = kPrime & 0xffffffff;
  constexpr int kHighPrimeShift = 40 - 32;  // the prime is 2^40 + kLowPrime
  static_assert(kPrime == (uint64_t{1} << 40) + kLowPrime);
  lanes = veorq_u64(lanes, words);
  const uint32x2_t low = vmovn_u64(lanes);
  const uint32x2_t high = vshrn_n_u64(lanes, 32);
  // What the low halves and the prime do not give lands in the high half of the product.
  const uint32x2_t carried = vmla_n_u32(vshl_n_u32(low, kHighPrimeShift), high, kLowPrime);
  const uint64x2_t product =
      vaddq_u64(vmull_n_u32(low, kLowPrime), vshlq_n_u64(vmovl_u32(carried), 32));
  return veorq_u64(product, vshrq_n_u64(product, kShift));
}

uint64x2_t wordsAt(const std::byte* bytes) {
  return vreinterpretq_u64_u8(vld1q_u8(reinterpret_cast<const uint8_t*>(bytes)));
}

/// Mixes all whole groups of words; returns how many bytes they have.
size_t mixGroups(Lanes& lanes, std::span<const std::byte> bytes) {
  uint64x2_t first = vld1q_u64(lanes.data());
  uint64x2_t second = vld1q_u64(lanes.data() + 2);
  size_t at = 0;
  for (; at + sizeof(Lanes) <= bytes.size(); at += sizeof(Lanes)) {
    first = mixTwo(first, wordsAt(bytes.data() + at));
    second = mixTwo(second, wordsAt(bytes.data() + at + sizeof(Lanes) / 2));
  }
  vst1q_u64(lanes.data(), first);
  vst1q_u64(lanes.data() + 2, second);
  return at;
}

#else

/// Mixes all whole groups of words; returns how many bytes they have.
size_t mixGroups(Lanes& lanes, std::span<const std::byte> bytes) {
  size_t at = 0;
  for (; at + sizeof(Lanes) <= bytes.size(); at += sizeof(Lanes)) {
    Lanes words;
    std::memcpy(words.data(), bytes.data() + at, sizeof(words));
    for (size_t i = 0; i < lanes.size(); ++i) mix(lanes[i], words[i]);
  }
  return at;
}

#endif

}  // namespace

uint64_t moduleHash(std::span<const std::byte> bytes) {
  Lanes lanes = kFirstLanes;
  for (size_t at = mixGroups(lanes, bytes); at < bytes.size(); ++at) {
    mix(lanes[0], std::to_integer<uint64_t>(bytes[at]));
  }
  uint64_t hash = bytes.size();
  for (const uint64_t lane : lanes) mix(hash, lane);
  return hash;
}

}  // namespace vta
