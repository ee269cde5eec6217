// GemmSpace: the schedules of a product on a GPU.
#pragma once

#include "explore/tune/space/space.h"
#include "explore/tune/task/gemm_task.h"

namespace vta::tune {

/// One name for each feature.
std::span<const std::string_view> gemmFeatureNames();

/// What a cost model sees of a schedule: its fields, counts of work, the product, the GPU's limits.
Features gemmFeatures(const GemmSpec& spec, const GemmSchedule& schedule,
                      const GpuKernelLimits& limits);

/// Never empty: the default schedule is part of it. Estimates are nanoseconds on a GPU of common
/// size; nothing is proven of any schedule.
class GemmSpace final : public Space {
 public:
  explicit GemmSpace(const GemmTask& task);

  const GemmSchedule& schedule(Candidate i) const { return schedules_[i]; }
  std::optional<Candidate> find(const GemmSchedule& schedule) const;

 private:
  std::vector<GemmSchedule> schedules_;
};

}  // namespace vta::tune
