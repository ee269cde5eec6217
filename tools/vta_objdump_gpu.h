// GPU programs as vta-objdump shows them.
#pragma once

#include <cstdint>
#include <string>

#include "base/status.h"
#include "module/module_file.h"

namespace vta::tools {

/// Whether program `index` of a module is for a GPU.
bool isGpuProgram(const ModuleInfo& info, int64_t index);

/// Kernels and dispatches of a program for a GPU, for each of its variants. Errors: a corrupt one.
Result<std::string> gpuProgramListing(const ModuleView& module, int64_t index);

/// Writes each code of the kernels of program `index`, which is for a GPU, to a file of `folder`:
/// "K-C.spv" is code C of kernel K. Errors: those of gpuProgramListing; a file cannot be written.
Status writeGpuKernels(const ModuleView& module, int64_t index, const std::string& folder);

}  // namespace vta::tools
