// 16-bit floats as bits, to and from float32. C++20 has no type for them.
#pragma once

#include <bit>
#include <cstdint>

namespace vta {

/// IEEE binary16; every value is exact in float32.
inline float halfToFloat(uint16_t bits) {
  const uint32_t sign = static_cast<uint32_t>(bits & 0x8000) << 16;
  const uint32_t magnitude = bits & 0x7fff;
  if (magnitude >= 0x7c00) {  // infinity and NaN
    return std::bit_cast<float>(sign | 0x7f800000 | (magnitude & 0x3ff) << 13);
  }
  // As a float32 with the exponent's bias of binary16, which a product corrects; subnormals too.
  const float value = std::bit_cast<float>(magnitude << 13) * 0x1p112f;
  return std::bit_cast<float>(std::bit_cast<uint32_t>(value) | sign);
}

/// Rounded to nearest, ties to even; what is too large becomes infinite.
inline uint16_t floatToHalf(float value) {
  const auto bits = std::bit_cast<uint32_t>(value);
  const auto sign = static_cast<uint16_t>(bits >> 16 & 0x8000);
  const uint32_t magnitude = bits & 0x7fffffff;
  if (magnitude > 0x7f800000) return sign | 0x7e00;
  if (magnitude >= 0x47800000) return sign | 0x7c00;
  if (magnitude < 0x38800000) {
    // The sum's last bit is worth as much as a subnormal's: the addition rounds.
    const float sum = std::bit_cast<float>(magnitude) + 0.5f;
    return sign | static_cast<uint16_t>(std::bit_cast<uint32_t>(sum) - 0x3f000000);
  }
  const uint32_t rounded = magnitude - 0x38000000 + 0xfff + (magnitude >> 13 & 1);
  return sign | static_cast<uint16_t>(rounded >> 13);
}

/// The upper half of a float32.
inline float bfloatToFloat(uint16_t bits) {
  return std::bit_cast<float>(static_cast<uint32_t>(bits) << 16);
}

/// Rounded to nearest, ties to even.
inline uint16_t floatToBfloat(float value) {
  const auto bits = std::bit_cast<uint32_t>(value);
  if (value != value) return static_cast<uint16_t>(bits >> 16 | 0x40);
  return static_cast<uint16_t>((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

/// Elements of arrays: `Half{bits}` converts to and from float.
struct Half {
  uint16_t bits = 0;
  Half() = default;
  explicit Half(float value) : bits(floatToHalf(value)) {}
  explicit operator float() const { return halfToFloat(bits); }
};
struct Bfloat {
  uint16_t bits = 0;
  Bfloat() = default;
  explicit Bfloat(float value) : bits(floatToBfloat(value)) {}
  explicit operator float() const { return bfloatToFloat(bits); }
};

}  // namespace vta
