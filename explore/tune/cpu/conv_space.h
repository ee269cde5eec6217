// ConvSpace: the schedules of a convolution on a CPU.
#pragma once

#include "explore/tune/space/space.h"
#include "explore/tune/task/conv_task.h"

namespace vta::tune {

/// One name for each feature.
std::span<const std::string_view> convFeatureNames();

/// What a cost model sees of a schedule: counts of work, the fields of the schedule, the layer.
Features convFeatures(const ConvSpec& spec, const ConvSchedule& schedule,
                      const codegen::CpuTraits& traits);

/// Never empty: the default schedule is part of it. Estimates are cycles of one core; nothing is
/// proven of any schedule, because nobody knows the CPU well enough.
class ConvSpace final : public Space {
 public:
  explicit ConvSpace(const ConvTask& task);

  const ConvSchedule& schedule(Candidate i) const { return schedules_[i]; }
  std::optional<Candidate> find(const ConvSchedule& schedule) const;

 private:
  std::vector<ConvSchedule> schedules_;
};

}  // namespace vta::tune
