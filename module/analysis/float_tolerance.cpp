#include "module/analysis/float_tolerance.h"

#include <algorithm>

#include "module/executor_kinds.h"

namespace vta {

double floatToleranceOf(const ExecutorInfo& executor) {
  // Values in memory have 11 bits, and a step rounds them once for each of its layers.
  constexpr double kOfFloat16Storage = 1e-2;
  const bool has_halves =
      std::ranges::find(executor.features, kFloat16Storage) != executor.features.end();
  if (has_halves) return kOfFloat16Storage;
  const ExecutorKind* kind = findExecutorKind(executor.kind);
  return kind == nullptr ? 0 : kind->float_tolerance;
}

}  // namespace vta
