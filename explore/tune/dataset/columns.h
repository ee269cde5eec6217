// Columns of a data set: what it knows of each point.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "compiler/kernel/desc/schedule.h"
#include "explore/tune/task/task.h"
#include "isa/registers/counters.h"

namespace vta::tune {

/// One schedule of one kernel, on one accelerator with one memory.
struct Point {
  int64_t group = 0;  // points with the same number have kernel and accelerator in common
  const kernel::KernelDesc* desc = nullptr;
  const HwConfig* hw = nullptr;
  const sim::MemoryConfig* memory = nullptr;
  const kernel::Schedule* schedule = nullptr;
  uint64_t estimate_cycles = 0;  // of the analytic model
  uint64_t floor_cycles = 0;     // proven: no run takes fewer
  LaunchCounters counters = {};  // of the cycle simulator
};

struct Column {
  std::string name;      // of the array in the file
  std::string doc;       // one sentence, with the unit
  bool is_wide = false;  // 64 bits instead of 32
  std::function<int64_t(const Point&)> get;
};

/// All columns, in the order of the file. They come from the tables of the project: geometry,
/// parameters, schedule and counters.
const std::vector<Column>& dataSetColumns();

}  // namespace vta::tune
