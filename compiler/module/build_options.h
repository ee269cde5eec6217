// How kernels and host functions become a module. Free of MLIR types.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "compiler/codegen/options.h"
#include "compiler/kernel/schedule/schedule_chooser.h"
#include "compiler/kernel/schedule/schedule_file.h"
#include "compiler/module/module_outline.h"

namespace vta::compiler {

/// The schedules for a whole network, whose kernels overlap when they run.
struct NetworkSchedules {
  kernel::FindSchedule find = {};
  std::string warning;  // for the report; empty: none
};
using FindForNetwork = std::function<Result<NetworkSchedules>(const ModuleOutline& outline)>;

struct BuildOptions {
  codegen::CodeOptions code = {};  // of the host's functions
  bool verify_programs = false;    // run the program verifier on every kernel
  /// What helps to choose schedules. With hints.measure, those that the analytic model ranks best
  /// are measured, and the fastest are taken.
  kernel::ScheduleHints schedule_hints = {};
  /// Called once with the network's outline; what it returns takes the place of hints.find.
  FindForNetwork find_for_network = {};
  /// In front of the names of host functions: what makes those of several networks differ.
  std::string function_prefix = {};
  bool with_chains = true;  // two kernels as one program, where that is faster (vta-choose-chains)
  /// Schedules of some layers; their programs are always verified.
  std::vector<kernel::LayerSchedule> schedules = {};
};

}  // namespace vta::compiler
