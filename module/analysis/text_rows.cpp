#include "module/analysis/text_rows.h"

namespace vta {

int64_t mostWordsOfRun(const ModuleInfo& info) {
  if (info.context.caches.empty()) return 1;
  const CacheInfo& cache = info.context.caches.front();
  return info.tensors[cache.rows].shape[cache.axis];
}

int64_t textCapacity(const ModuleInfo& info) {
  return info.context.isKept() ? info.context.capacity - mostWordsOfRun(info) + 1 : 0;
}

}  // namespace vta
