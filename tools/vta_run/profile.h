// The profile of a run: one row for each step of the module.
//
// There is one model of time. A step on the VTA takes its share of the run's cycles at the
// accelerator's clock. A step on the CPU, or on another machine, takes the time that was measured
// here. How long a simulation took is neither.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "tools/vta_run/options.h"
#include "tools/vta_run/report.h"

namespace vta::tools {

/// The width of tables: that of the terminal on standard output, but 80 to 100; 100 without one.
size_t profileColumns();

/// kBrief: a table of at most `columns` columns, and sums. kFull: also a table for each other
/// question: what a layer does, what the compute unit waits for, where energy goes, how a layer is
/// scheduled or why it is not on the VTA.
std::string profileText(const RunReport& report, ProfileDetail detail, size_t columns);

/// Every figure as comma-separated values with a head; empty where a step has none.
std::string profileCsv(const RunReport& report);

/// Milliseconds of cycles at the clock of the report's accelerator.
double vtaMilliseconds(const RunReport& report, uint64_t cycles);

/// What a step takes: on the VTA its share of the run's cycles at the clock, elsewhere what was
/// measured here.
double stepMilliseconds(const RunReport& report, const LayerReport& row);

/// Least cycles that array and bus allow, as a share of the cycles taken, of which there are some.
double rooflineShare(const RunReport& report, int64_t macs, const LaunchCounters& counters);

/// The resource that a busy layer of `macs` uses most ("array", "reading", ...), or what the
/// compute unit waits for most ("loads", "bus", ...). It took cycles.
std::string limitOf(const RunReport& report, int64_t macs, const LaunchCounters& counters);

/// Sums over the steps of one machine.
struct MachineTotals {
  const ExecutorInfo* machine = nullptr;
  double ms = 0;
  double copy_ms = 0;  // of these, of a machine that is neither a VTA nor the CPU
  int64_t steps = 0;

  bool hasCopies() const { return machine->kind != kVtaKind && machine->kind != kCpuKind; }
};

/// Sums over all steps, and over those of each machine that runs some, in the module's order.
struct ProfileTotals {
  uint64_t cycles_alone = 0;  // of each step by itself
  double all_ms = 0;
  double vta_ms = 0;
  double host_ms = 0;  // of the CPU
  int64_t steps = 0;
  int64_t host_steps = 0;
  std::vector<MachineTotals> machines;
};
ProfileTotals profileTotals(const RunReport& report);

/// A line of a report that says which devices are estimated not to reach the configuration's clock;
/// empty when all do.
std::string clockWarningLine(const RunReport& report, size_t columns);

/// A warning where nothing, or hardly anything, ran on the VTA, with the reason; else empty.
std::string offloadWarning(const RunReport& report);

}  // namespace vta::tools
