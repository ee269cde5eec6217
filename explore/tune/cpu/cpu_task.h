// CpuTask: a convolution on a CPU as a task to search.
#pragma once

#include <optional>

#include "explore/tune/cpu/conv_measurer.h"
#include "explore/tune/cpu/conv_space.h"
#include "explore/tune/target/target_task.h"

namespace vta::tune {

class CpuTask final : public TargetTask {
 public:
  /// Both must outlive it.
  CpuTask(const ConvTask& task, ConvMeasurer& measurer) : task_(task), measurer_(measurer) {}

  StoredTask stored() const override;
  std::string source() const override { return kCpuSource; }
  Status begin() override;
  const Space& space() const override { return *space_; }
  bool isExact() const override { return false; }
  std::span<const std::string_view> featureNames() const override { return convFeatureNames(); }
  std::string schedule(Candidate i) const override { return convScheduleText(space_->schedule(i)); }
  std::optional<Candidate> find(const std::string& schedule) const override;
  Result<Candidate> compilersChoice() override;
  std::vector<Measurement> measure(std::span<const Candidate> candidates, uint64_t most) override;
  std::vector<Sample> samplesOf(const TaskKey& key, std::span<const TrialRecord> trials,
                                uint32_t group) const override;

 private:
  const ConvTask& task_;
  ConvMeasurer& measurer_;
  std::optional<ConvSpace> space_;
};

}  // namespace vta::tune
