// Reading numpy's .npy files in tests.
#pragma once

#include <filesystem>

#include "isa/support/status.h"
#include "isa/support/tensor.h"

namespace vta::host::testing {

/// A C-ordered little-endian array. Errors: no such file, another layout or type.
Result<Tensor> readNpy(const std::filesystem::path& path);

}  // namespace vta::host::testing
