// Comparison of a device's result with its reference.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "base/status.h"
#include "module/module_info.h"

namespace vta::driver {

/// Ok when all elements of `tensor` are equal, or, of float tensors, differ by no more than
/// `tolerance` times the largest finite element that is expected; otherwise an error that gives the
/// first different one (packed activations as batch, channel, row and column), both values and how
/// many differ, and names `machine`. Both spans have tensor.size_bytes.
Status compareWithReference(const TensorInfo& tensor, std::string_view machine,
                            std::span<const std::byte> actual, std::span<const std::byte> expected,
                            double tolerance = 0);

}  // namespace vta::driver
