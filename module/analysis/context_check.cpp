#include "module/module_info_check.h"

#include <fmt/format.h>

#include <string>

namespace vta {
namespace {

Status contextProblem(const std::string& what) {
  return invalidArgument("module metadata: " + what);
}

bool isStateOfCpu(const ModuleInfo& info, const TensorInfo& tensor) {
  return info.isOnCpu(tensor) && tensor.part_of == -1 &&
         info.spaceOf(tensor).contents == SpaceInfo::Contents::kState;
}

/// Whether rows of `rows` fill `cache` with those of one run left over.
bool rowsFit(const TensorInfo& cache, const TensorInfo& rows, uint32_t axis, int64_t capacity) {
  if (cache.dtype != rows.dtype || cache.shape.size() != rows.shape.size()) return false;
  if (axis >= cache.shape.size() || rows.shape[axis] < 1) return false;
  for (size_t d = 0; d < cache.shape.size(); ++d) {
    const int64_t extent = d == axis ? capacity - rows.shape[d] : rows.shape[d];
    if (cache.shape[d] != extent || extent < 1) return false;
  }
  return true;
}

Status checkCache(const ModuleInfo& info, const CacheInfo& cache) {
  const size_t tensors = info.tensors.size();
  if (cache.tensor >= tensors || cache.rows >= tensors) {
    return contextProblem(
        fmt::format("a cache is tensor {} with rows {} of {}", cache.tensor, cache.rows, tensors));
  }
  const TensorInfo& tensor = info.tensors[cache.tensor];
  const TensorInfo& rows = info.tensors[cache.rows];
  if (!isStateOfCpu(info, tensor) || info.isConstant(rows)) {
    return contextProblem(
        fmt::format("cache '{}' lies in a wrong memory, or its rows do", tensor.name));
  }
  if (!rowsFit(tensor, rows, cache.axis, info.context.capacity)) {
    return contextProblem(
        fmt::format("rows of '{}' do not fill the cache '{}' along dimension {} to {}", rows.name,
                    tensor.name, cache.axis, info.context.capacity));
  }
  const CacheInfo& first = info.context.caches.front();
  if (rows.shape[cache.axis] != info.tensors[first.rows].shape[first.axis]) {
    return contextProblem(fmt::format("cache '{}' gets another number of rows", tensor.name));
  }
  return {};
}

}  // namespace

Status checkContext(const ModuleInfo& info) {
  const ContextInfo& context = info.context;
  if (!context.isKept()) {
    const bool is_empty = context.capacity == 0 && context.length == -1 && context.caches.empty();
    return is_empty ? Status() : contextProblem("a text without room has a length or caches");
  }
  const bool has_length =
      context.length >= 0 && static_cast<size_t>(context.length) < info.tensors.size();
  if (!has_length || context.caches.empty())
    return contextProblem("a text has no length or no caches");
  const TensorInfo& length = info.tensors[context.length];
  if (!isStateOfCpu(info, length) || length.dtype != DType::kI64 ||
      length.size_bytes != sizeof(int64_t)) {
    return contextProblem(fmt::format("'{}' is no length of a text", length.name));
  }
  for (const CacheInfo& cache : context.caches) VTA_RETURN_IF_ERROR(checkCache(info, cache));
  return {};
}

}  // namespace vta
