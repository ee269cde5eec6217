// By how much floats of an executor may differ from the CPU's.
#pragma once

#include <string_view>

#include "module/module_info.h"

namespace vta {

/// Among ExecutorInfo::features: floats lie in memory in 16 bits.
inline constexpr std::string_view kFloat16Storage = "float16-storage";

/// By how much of the largest element of a float tensor the results of `executor` may differ from
/// the CPU's.
double floatToleranceOf(const ExecutorInfo& executor);

}  // namespace vta
