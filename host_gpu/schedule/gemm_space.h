// The schedules that a product may have on a device, and what they take by counts of work.
#pragma once

#include <functional>
#include <map>
#include <string>

#include "host_gpu/schedule/gemm_schedule.h"

namespace vta::codegen {

/// Calls `add` for every schedule worth a trial, which the default is, too. All keep to the rules.
/// `rejected` gets the number of schedules that broke each rule, by the rule without its numbers;
/// what fails for its tile alone counts once.
void visitGemmSchedules(const GemmSpec& spec, const GpuKernelLimits& limits,
                        const std::function<void(const GemmSchedule&)>& add,
                        std::map<std::string, int64_t>& rejected);

/// Counts that decide how long a schedule takes.
struct GemmWork {
  double products = 0;      // those of rows and columns outside of the result included
  double shared_loads = 0;  // elements that invocations read from shared memory
  double global_bytes = 0;  // that workgroups copy from memory
  double part_bytes = 0;    // of sums that parts of the grid write, and that are read to be added
  double steps = 0;         // of one workgroup through the depth
  double workgroups = 0;
  double invocations = 0;  // of one workgroup
  double shared_bytes = 0;
};
GemmWork countGemmWork(const GemmSpec& spec, const GemmSchedule& schedule);

/// Nanoseconds on a GPU of common size: a first draft that ranks schedules.
double estimateGemmNanoseconds(const GemmSpec& spec, const GemmSchedule& schedule);

}  // namespace vta::codegen
