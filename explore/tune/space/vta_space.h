// VtaSpace: the schedules of a kernel on one accelerator with one memory.
#pragma once

#include "base/status.h"
#include "compiler/kernel/desc/schedule.h"
#include "explore/tune/space/space.h"
#include "explore/tune/task/task.h"

namespace vta::tune {

/// Every schedule of the space fits the accelerator.
class VtaSpace final : public Space {
 public:
  /// Errors: the kernel fits the accelerator with no schedule (kUnsupported).
  static Result<VtaSpace> create(const Task& task);

  const kernel::Schedule& schedule(Candidate i) const { return schedules_[i]; }
  std::optional<Candidate> find(const kernel::Schedule& schedule) const;

 private:
  VtaSpace();

  std::vector<kernel::Schedule> schedules_;
};

}  // namespace vta::tune
