// How kernels and host functions become a module. Free of MLIR types.
#pragma once

#include <vector>

#include "compiler/codegen/options.h"
#include "compiler/kernel/schedule/schedule_chooser.h"
#include "compiler/kernel/schedule/schedule_file.h"

namespace vta::compiler {

struct BuildOptions {
  codegen::CodeOptions code = {};  // of the host's functions
  bool verify_programs = false;    // run the program verifier on every kernel
  /// What helps to choose schedules. With hints.measure, those that the analytic model ranks best
  /// are measured, and the fastest are taken.
  kernel::ScheduleHints schedule_hints = {};
  bool with_chains = true;  // two kernels as one program, where that is faster (vta-choose-chains)
  /// Schedules of some layers; their programs are always verified.
  std::vector<kernel::LayerSchedule> schedules = {};
};

}  // namespace vta::compiler
