// NumPy's array files.
#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "base/status.h"
#include "base/tensor.h"

namespace vta::tools {

/// Reads a `.npy` image (format 1 to 3). Big-endian elements and Fortran order are converted, and
/// float16 becomes float32. Errors: not that, truncated, an element type that tensors do not have.
Result<Tensor> parseNpy(std::span<const std::byte> file);

/// Writes format 1.0.
std::vector<std::byte> serializeNpy(const Tensor& tensor);

/// Reads a `.npz` archive (stored or deflated entries) by array name. Errors: those of parseNpy,
/// naming the array; a damaged archive.
Result<std::map<std::string, Tensor>> parseNpz(std::span<const std::byte> file);

}  // namespace vta::tools
