// Space: the schedules of one task, with what is known of each before it is measured.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/status.h"
#include "compiler/kernel/desc/schedule.h"
#include "tune/space/features.h"
#include "tune/task/task.h"

namespace vta::tune {

/// A schedule of a space, by its number.
using Candidate = uint32_t;

/// Every schedule of the space fits the accelerator: nothing illegal can be proposed. Immutable
/// after its creation.
class Space {
 public:
  /// Errors: the kernel fits the accelerator with no schedule (kUnsupported).
  static Result<Space> create(const Task& task);

  size_t size() const { return schedules_.size(); }
  const kernel::Schedule& schedule(Candidate i) const { return schedules_[i]; }
  std::optional<Candidate> find(const kernel::Schedule& schedule) const;

  /// The analytic model's cycles.
  double estimate(Candidate i) const { return estimates_[i]; }
  /// Cycles that the schedule cannot beat, proven (schedule_floor.h).
  uint64_t floorCycles(Candidate i) const { return floors_[i]; }
  const Features& features(Candidate i) const { return features_[i]; }
  /// All candidates, the analytic model's best first.
  std::span<const Candidate> byEstimate() const { return by_estimate_; }
  /// Candidates that differ from `i` in one decision.
  std::vector<Candidate> neighbours(Candidate i) const;
  /// Schedules that do not fit, by the resource that they lack.
  const std::map<std::string, int64_t>& rejected() const { return rejected_; }

 private:
  Space() = default;

  std::vector<kernel::Schedule> schedules_;
  std::vector<double> estimates_;
  std::vector<uint64_t> floors_;
  std::vector<Features> features_;
  std::vector<Candidate> by_estimate_;
  std::map<std::string, int64_t> rejected_;
};

}  // namespace vta::tune
