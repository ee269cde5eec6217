// Schedules for tensor cores that a search tries, and products that take their factors in all ways.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/tensor.h"
#include "host_gpu/schedule/product_layer.h"

namespace vta::codegen::testing {

/// What the tuner hands on of the tests' GPU for this target of PTX.
GpuKernelLimits limitsOfTarget(const std::string& target);

/// A function of the graph with one product of bytes.
struct SpaceCase {
  std::string name;
  std::string text;
  std::vector<Tensor> inputs;

  /// The product as the tuner sees it.
  ProductLayer layer() const;
  std::string code() const;  // ProductLayer::code
};

/// Factors that are gathered byte by byte, and those that are copied along the depth.
std::vector<SpaceCase> spaceCases();

/// So many schedules of `tier` from the space of the GPU for `target`, or all if there are fewer.
/// Seeded.
std::vector<GemmSchedule> sampleSpace(const GemmSpec& spec, const std::string& target,
                                      GemmTier tier, size_t count);

}  // namespace vta::codegen::testing
