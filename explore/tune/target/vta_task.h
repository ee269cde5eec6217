// VtaTask: a kernel on an accelerator as a task to search.
#pragma once

#include <optional>

#include "explore/tune/space/vta_space.h"
#include "explore/tune/target/target_task.h"
#include "explore/tune/task/task.h"

namespace vta::tune {

/// The schedule that the compiler chooses without tuning.
Result<kernel::Schedule> compilersChoice(const Task& task);

/// The samples that a cost model learns from `trials` of `task`.
std::vector<Sample> samplesOf(const Task& task, std::span<const TrialRecord> trials,
                              uint32_t group);

class VtaTask final : public TargetTask {
 public:
  /// Both must outlive it.
  VtaTask(const Task& task, Measurer& measurer) : task_(task), measurer_(measurer) {}

  StoredTask stored() const override;
  std::string source() const override { return measurer_.source(); }
  Status begin() override;
  const Space& space() const override { return *space_; }
  std::span<const std::string_view> featureNames() const override;
  std::string schedule(Candidate i) const override { return scheduleText(space_->schedule(i)); }
  std::optional<Candidate> find(const std::string& schedule) const override;
  Result<Candidate> compilersChoice() override;
  std::vector<Measurement> measure(std::span<const Candidate> candidates, uint64_t most) override;
  Status health() const override { return measurer_.health(); }
  std::vector<Sample> samplesOf(const TaskKey& key, std::span<const TrialRecord> trials,
                                uint32_t group) const override;

 private:
  const Task& task_;
  Measurer& measurer_;
  std::optional<VtaSpace> space_;
};

}  // namespace vta::tune
