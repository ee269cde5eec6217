// Module builder: partitioned IR becomes the metadata and contents of a module.
#pragma once

#include <string>
#include <vector>

#include "base/status.h"
#include "compiler/common/progress.h"
#include "compiler/kernel/schedule/schedule_file.h"
#include "compiler/module/build_options.h"
#include "compiler/module/module_outline.h"
#include "compiler/module/module_writer.h"
#include "isa/config/hw_config.h"
#include "module/module_info.h"

namespace mlir {
class ModuleOp;
}

namespace vta::compiler {

/// What writeModule takes.
struct BuiltModule {
  ModuleInfo info;
  ModuleContents contents;
  std::vector<kernel::LayerSchedule> schedules;  // of the kernels, in their order
};

/// Builds a module from IR after vta-lower-kernels: `@main` holds only arith.constant, vta.concat,
/// vta.kernel with their programs, calls of host functions and its return; kernels and calls are
/// one step each, in this order. Arguments and results have their names in `graph.name`. All other
/// functions are compiled for the host; `module` is consumed. `model_name` is for reports;
/// `progress` hears of the phases "steps" and "host code". Errors: a kernel whose program is
/// missing or for another configuration than `hw`, an op without host code; the message names the
/// layer.
Result<BuiltModule> buildModule(mlir::ModuleOp module, const std::string& model_name,
                                const HwConfig& hw, const BuildOptions& options,
                                const Progress& progress = {});

/// The same module before its kernels have programs and its host functions code: `module` is
/// partitioned IR (vta-outline-host) and stays as it is. Errors: those of buildModule that do not
/// concern programs.
Result<ModuleOutline> outlineModule(mlir::ModuleOp module, const std::string& model_name,
                                    const HwConfig& hw);

}  // namespace vta::compiler
