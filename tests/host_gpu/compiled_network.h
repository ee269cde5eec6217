// Networks compiled for a GPU, as fast as that goes, for tests that look at their kernels.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "base/status.h"
#include "compiler/compile.h"
#include "driver/runtime/session.h"
#include "module/gpu/gpu_program.h"

namespace vta::compiler {

/// `file` is an ONNX model. Where `partition` quantises, a random input says how. `codes` are
/// GpuOptions::codes.
Result<std::shared_ptr<const driver::LoadedModule>> compiledNetwork(
    const std::filesystem::path& file, Partition partition,
    const std::vector<std::string>& codes = {});

/// All GPU programs of a module.
std::vector<GpuProgram> gpuProgramsOf(const driver::LoadedModule& module);

}  // namespace vta::compiler
