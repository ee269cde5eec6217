// Several sizes of one network become one module.
#pragma once

#include <vector>

#include "base/status.h"
#include "compiler/module/module_builder.h"

namespace vta::compiler {

/// Joins modules of one network, from the largest to the smallest: the first one gets the others as
/// its buckets. Constants with equal bytes become one tensor, and so does state of one name. Names
/// of host functions have to differ (BuildOptions::function_prefix). Errors: state that is not the
/// same in all of them, executors of one name that differ; no modules.
Result<BuiltModule> joinBuckets(std::vector<BuiltModule> modules);

}  // namespace vta::compiler
