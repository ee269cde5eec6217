// Programs whose work is known, to measure a GPU with. Free of MLIR types.
#pragma once

#include <cstdint>

#include "base/status.h"
#include "module/gpu/gpu_program.h"

namespace vta::codegen {

/// The product of two square matrices of floats: rows x rows x rows multiply-accumulates.
Result<GpuProgram> productProgram(int64_t rows);

/// Doubles so many floats: reads and writes four bytes for each.
Result<GpuProgram> doublingProgram(int64_t elems);

}  // namespace vta::codegen
