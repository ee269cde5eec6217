// Module builder: partitioned IR becomes the metadata and contents of a module.
#pragma once

#include <string>
#include <vector>

#include "base/status.h"
#include "compiler/compile.h"
#include "compiler/kernel/schedule/schedule_chooser.h"
#include "compiler/kernel/schedule/schedule_file.h"
#include "compiler/module/module_writer.h"
#include "isa/config/hw_config.h"
#include "module/module_info.h"

namespace mlir {
class ModuleOp;
}

namespace vta::compiler {

struct BuildOptions {
  HwConfig hw = HwConfig::makeDefault();
  std::string model_name = {};
  std::string target = {};       // LLVM triple; empty: this machine
  bool verify_programs = false;  // run the program verifier on every kernel
  bool optimize_host_code = true;
  Progress progress = {};
  /// Measures candidates for schedules; without it, the analytic model decides.
  kernel::MeasureProgram measure_program = {};
  /// Schedules of some layers; their programs are always verified.
  std::vector<kernel::LayerSchedule> schedules = {};
};

/// What writeModule takes.
struct BuiltModule {
  ModuleInfo info;
  ModuleContents contents;
  std::vector<kernel::LayerSchedule> schedules;  // of the kernels, in their order
};

/// Builds a module from IR after partitioning: `@main` holds only arith.constant, vta.concat,
/// vta.kernel, calls of host functions and its return; kernels and calls are one step each, in this
/// order. Arguments and results have their names in `graph.name`. All other functions are compiled
/// for the host; `module` is consumed. Errors: a kernel that cannot be lowered for options.hw, an
/// op without host code, a schedule that fits no layer; the message names the layer.
Result<BuiltModule> buildModule(mlir::ModuleOp module, const BuildOptions& options);

}  // namespace vta::compiler
