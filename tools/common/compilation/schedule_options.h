// How a tool's compilations choose schedules.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "base/status.h"
#include "compiler/compile.h"

namespace vta::tools {

struct ScheduleOptions {
  bool is_given = false;      // --schedules was
  bool is_estimated = false;  // the analytic model's best, not the fastest on the cycle simulator
  std::string file;           // schedules of some layers, or empty
  std::string tuned_file;     // a tuning database, or empty
  bool takes_shipped = true;  // the schedules that come with the project
  std::string tuned_source;   // whose measurements of it; empty: the cycle simulator's
  bool with_chains = true;    // where the hardware has extension `handover`
  bool with_winograd = true;  // convolutions of floats on the CPU
  std::string memory;         // name or file; empty: simple
  std::string gpu;            // tune::TunedGpu::text of what runs it; empty: nobody knows
};

/// --schedules, --tuned, --tuned-on, --no-chains, --no-winograd
void addSchedules(CLI::App& app, ScheduleOptions& options);

/// Sets what `compile_options` says about schedules, for its configuration and partition.
/// `warnings` gets what of --tuned is left aside, and why. Errors: those of the cycle simulator, a
/// file that cannot be read or is not for this configuration.
Status applySchedules(const ScheduleOptions& options, compiler::CompileOptions& compile_options,
                      std::vector<std::string>& warnings);

}  // namespace vta::tools
