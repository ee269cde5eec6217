// What kernels of a GPU program need and not every GPU has.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

namespace vta {

/// The numbers are part of the format of GPU programs.
enum class GpuFeature : uint8_t {
  kInt8,                // arithmetic on 8-bit integers
  kInt16,               // arithmetic on 16-bit integers
  kInt64,               // arithmetic on 64-bit integers
  kFloat16,             // arithmetic on 16-bit floats
  kFloat64,             // arithmetic on 64-bit floats
  kStorage8,            // buffers of 8-bit elements
  kStorage16,           // buffers of 16-bit elements
  kIntegerDotProduct,   // dot products of four 8-bit integers in a 32-bit word
  kSubgroupArithmetic,  // sums, minima and maxima over the invocations of a subgroup
};
inline constexpr uint32_t kGpuFeatureCount = 9;

/// "int8", "storage16", ...
std::string_view gpuFeatureName(GpuFeature feature);

/// A set of features.
class GpuFeatures {
 public:
  constexpr GpuFeatures() = default;
  constexpr GpuFeatures(std::initializer_list<GpuFeature> features) {
    for (const GpuFeature feature : features) add(feature);
  }
  /// Bit k is the feature of number k.
  static constexpr GpuFeatures fromBits(uint32_t bits) {
    GpuFeatures features;
    features.bits_ = bits;
    return features;
  }

  constexpr void add(GpuFeature feature) { bits_ |= 1U << static_cast<uint32_t>(feature); }
  constexpr bool has(GpuFeature feature) const {
    return ((bits_ >> static_cast<uint32_t>(feature)) & 1U) != 0;
  }
  constexpr bool empty() const { return bits_ == 0; }
  constexpr uint32_t bits() const { return bits_; }

  /// Those of this set that `other` lacks.
  constexpr GpuFeatures without(GpuFeatures other) const { return fromBits(bits_ & ~other.bits_); }

  /// "int8, float16"; empty for none.
  std::string names() const;

  bool operator==(const GpuFeatures&) const = default;

 private:
  uint32_t bits_ = 0;
};

}  // namespace vta
