// What the benchmarks of tuning have in common: tasks of networks, cost models from files, and how
// a benchmark ends.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/status.h"
#include "explore/tune/model/cost_model.h"
#include "explore/tune/task/task.h"

namespace vta::tune::testing {

/// Tasks of `kernels`, no two with the same shape. The memory has the name of its file, because
/// several files are of one kind. Errors: those of resolveMemoryConfig.
Result<std::vector<Task>> tasksWithMemory(std::span<const kernel::KernelDesc> kernels,
                                          const HwConfig& hw, const std::string& memory);

/// Errors: kNotFound, the file cannot be read; those of CostModel::loadJson.
Result<CostModel> readCostModel(const std::string& file);

/// The exit status of the program `name`; says on standard error what went wrong.
int endBenchmark(const char* name, const Status& status);

}  // namespace vta::tune::testing
