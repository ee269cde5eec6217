// Tuning of the code for this machine's CPU.
#pragma once

#include <memory>
#include <vector>

#include "tools/vta_tune/options.h"
#include "tune/cpu/cpu_task.h"

namespace vta::tools {

/// The convolutions that the model's code for the CPU has. Errors: those of the compilation; there
/// are none.
Result<std::vector<tune::ConvTask>> convTasksOf(const TuneToolOptions& options);

/// Tasks to search, with what measures them here.
class ConvTargets {
 public:
  /// `tasks` must outlive it.
  ConvTargets(const std::vector<tune::ConvTask>& tasks, const TuneToolOptions& options);

  std::span<tune::TargetTask* const> all() const { return all_; }

 private:
  tune::ConvMeasurer measurer_;
  std::vector<std::unique_ptr<tune::CpuTask>> tasks_;
  std::vector<tune::TargetTask*> all_;
};

}  // namespace vta::tools
