// NumPy's files of one array, .npy (numpy.lib.format).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/status.h"
#include "base/tensor.h"

namespace vta {

/// Reads a `.npy` image (format 1 to 3). Big-endian elements and Fortran order are converted, and
/// float16 becomes float32. Errors: not that, truncated, an element type that tensors do not have.
Result<Tensor> parseNpy(std::span<const std::byte> file);

/// Writes format 1.0; bfloat16, which NumPy does not have, as float32.
std::vector<std::byte> serializeNpy(const Tensor& tensor);

/// What stands before the elements, in C order and little endian, in a file of format 1.0. `dtype`
/// is not kBF16.
std::string npyHeader(DType dtype, std::span<const int64_t> shape);

}  // namespace vta
