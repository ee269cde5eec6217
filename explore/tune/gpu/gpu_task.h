// GpuTask: a product on a GPU as a task to search.
#pragma once

#include <optional>

#include "explore/tune/gpu/gemm_measurer.h"
#include "explore/tune/gpu/gemm_space.h"
#include "explore/tune/target/target_task.h"

namespace vta::tune {

class GpuTask final : public TargetTask {
 public:
  /// Both must outlive it.
  GpuTask(const GemmTask& task, GemmMeasurer& measurer) : task_(task), measurer_(measurer) {}

  StoredTask stored() const override;
  std::string source() const override { return gpuSource(task_.gpu.text()); }
  Status begin() override;
  const Space& space() const override { return *space_; }
  bool isExact() const override { return false; }
  std::span<const std::string_view> featureNames() const override { return gemmFeatureNames(); }
  std::string schedule(Candidate i) const override { return gemmScheduleText(space_->schedule(i)); }
  std::optional<Candidate> find(const std::string& schedule) const override;
  Result<Candidate> compilersChoice() override;
  std::vector<Measurement> measure(std::span<const Candidate> candidates, uint64_t most) override;
  std::vector<Sample> samplesOf(const TaskKey& key, std::span<const TrialRecord> trials,
                                uint32_t group) const override;

 private:
  const GemmTask& task_;
  GemmMeasurer& measurer_;
  std::optional<GemmSpace> space_;
};

}  // namespace vta::tune
