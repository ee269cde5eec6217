// TargetTask: what a search needs to know of the machine that schedules are for. Each target
// implements it: the VTA (vta_task.h), the CPU (explore/tune/cpu/cpu_task.h).
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "explore/tune/database/database.h"
#include "explore/tune/measure/measurement.h"
#include "explore/tune/model/cost_model.h"
#include "explore/tune/space/space.h"

namespace vta::tune {

/// One task of one target. A schedule is a text here, in the form that the database has it.
class TargetTask {
 public:
  virtual ~TargetTask() = default;

  /// What the database knows the task by, and names for people.
  virtual StoredTask stored() const = 0;
  /// Where its measurements come from. Those of two sources are never compared.
  virtual std::string source() const = 0;

  /// Makes the space and makes this task the one that is measured, once before the search. Errors:
  /// no schedule fits.
  virtual Status begin() = 0;
  virtual const Space& space() const = 0;
  /// Whether the fastest of all schedules is proven when all are measured: not where measuring once
  /// more gives another number.
  virtual bool isExact() const { return true; }
  /// One name for each feature of the space that this target has.
  virtual std::span<const std::string_view> featureNames() const = 0;
  virtual std::string schedule(Candidate i) const = 0;
  virtual std::optional<Candidate> find(const std::string& schedule) const = 0;
  /// The schedule that is taken without tuning.
  virtual Result<Candidate> compilersChoice() = 0;

  /// One result for each candidate. A measurement may end, as kSlower, at `most` cycles.
  virtual std::vector<Measurement> measure(std::span<const Candidate> candidates,
                                           uint64_t most) = 0;
  /// Why nothing can be measured any more; then some of the last results are kNotMeasured.
  virtual Status health() const { return {}; }

  /// What a cost model learns from trials of another task of this target; nothing if `key` is no
  /// task of it.
  virtual std::vector<Sample> samplesOf(const TaskKey& key, std::span<const TrialRecord> trials,
                                        uint32_t group) const = 0;
};

}  // namespace vta::tune
