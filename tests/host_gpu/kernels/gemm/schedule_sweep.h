// A few schedules for many products and devices that cover every pair of values.
#pragma once

#include <cstddef>
#include <vector>

#include "host_gpu/schedule/gemm_schedule.h"

namespace vta::codegen::testing {

struct Trial {
  size_t product = 0;  // number of its spec
  GemmSchedule schedule;
  size_t device = 0;

  /// The numbers of the schedule's fields, and the device's.
  std::vector<int64_t> values() const;
};

/// Seeded schedules of `spec` that break no rule, each on every device.
std::vector<Trial> possibleTrials(const std::vector<GemmSpec>& specs, size_t product,
                                  size_t devices);

/// So many trials of each product. Each one is the trial with the most pairs of values that no
/// earlier trial has. A pair is the values of two fields, or of a field and the device.
std::vector<Trial> chooseTrials(const std::vector<GemmSpec>& specs, size_t devices,
                                size_t of_each_product);

/// How many different pairs `trials` have.
size_t countPairs(const std::vector<Trial>& trials);

}  // namespace vta::codegen::testing
