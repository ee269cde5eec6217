// Reading numpy's .npy files in tests.
#pragma once

#include <filesystem>

#include "base/status.h"
#include "base/tensor.h"

namespace vta::codegen::testing {

/// A C-ordered little-endian array. Errors: no such file, another layout or type.
Result<Tensor> readNpy(const std::filesystem::path& path);

}  // namespace vta::codegen::testing
