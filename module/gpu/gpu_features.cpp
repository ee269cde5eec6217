#include "module/gpu/gpu_features.h"

#include <array>

namespace vta {
namespace {

constexpr std::array<std::string_view, kGpuFeatureCount> kGpuFeatureNames = {"int8",
                                                                             "int16",
                                                                             "int64",
                                                                             "float16",
                                                                             "float64",
                                                                             "storage8",
                                                                             "storage16",
                                                                             "integer_dot_product",
                                                                             "subgroup_arithmetic"};

}  // namespace

std::string_view gpuFeatureName(GpuFeature feature) {
  return kGpuFeatureNames[static_cast<uint32_t>(feature)];
}

std::string GpuFeatures::names() const {
  std::string text;
  for (uint32_t i = 0; i < kGpuFeatureCount; ++i) {
    if (!has(static_cast<GpuFeature>(i))) continue;
    if (!text.empty()) text += ", ";
    text += kGpuFeatureNames[i];
  }
  return text;
}

}  // namespace vta
