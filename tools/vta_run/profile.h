// The profile of a run: one row for each step of the module.
//
// There is one model of time. A step on the VTA takes its cycles at the accelerator's clock. A step
// on the CPU takes the time that was measured here. How long a simulation took is neither.
#pragma once

#include <cstddef>
#include <string>

#include "tools/vta_run/options.h"
#include "tools/vta_run/report.h"

namespace vta::tools {

/// The width of tables: that of the terminal on standard output, but 60 to 100; 100 without one.
size_t profileColumns();

/// kBrief: a table of at most `columns` columns, and sums. kFull: also a table for each other
/// question: what a layer does, what the compute unit waits for, where energy goes, how a layer is
/// scheduled or why it is not on the VTA.
std::string profileText(const RunReport& report, ProfileDetail detail, size_t columns);

/// Every figure as comma-separated values with a head; empty where a step has none.
std::string profileCsv(const RunReport& report);

/// Milliseconds of cycles at the clock of the report's accelerator.
double vtaMilliseconds(const RunReport& report, uint64_t cycles);

/// A warning where nothing, or hardly anything, ran on the VTA, with the reason; else empty.
std::string offloadWarning(const RunReport& report);

}  // namespace vta::tools
