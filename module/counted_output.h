// Outputs whose size depends on data: the valid part of a tensor that has room for the largest.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/status.h"
#include "base/tensor.h"
#include "module/module_info.h"

namespace vta {

/// The output of `port` from the bytes of its tensor and, if it is counted, its count: the first
/// `count` positions of its dimension. Error: a count that is negative or too large.
Result<Tensor> outputOf(const ModuleInfo& info, const PortInfo& port,
                        std::span<const std::byte> bytes, int64_t count);

/// The shape of the output of `port` that has `size_bytes`; an error if no count makes it so large.
Result<std::vector<int64_t>> outputShape(const ModuleInfo& info, const PortInfo& port,
                                         uint64_t size_bytes);

}  // namespace vta
