#include "driver/runtime/kept_text.h"

#include <fmt/format.h>

#include <cstring>
#include <span>

namespace vta::driver {

int64_t KeptText::wordsOfRun() const {
  const CacheInfo& cache = info_.context.caches.front();
  return info_.tensors[cache.rows].shape[cache.axis];
}

int64_t KeptText::length() const {
  if (!info_.context.isKept()) return 0;
  int64_t length = 0;
  std::memcpy(&length, memory_.hostPointer(static_cast<uint32_t>(info_.context.length)),
              sizeof length);
  return length;
}

Status KeptText::checkRoom() const {
  const ContextInfo& context = info_.context;
  if (!context.isKept()) return {};
  const int64_t read = length();
  if (read >= 0 && read <= context.capacity - wordsOfRun()) return {};
  return {StatusCode::kResourceExhausted,
          fmt::format("the text has {} words, and the module keeps {} at most; clear the session's "
                      "state, or compile with a larger --context-length",
                      read, context.capacity)};
}

/// Before `axis`, dimensions of a cache hold its rows several times.
Status KeptText::appendTo(const CacheInfo& cache, int64_t row) {
  const TensorInfo& tensor = info_.tensors[cache.tensor];
  const TensorInfo& rows = info_.tensors[cache.rows];
  const auto extent = static_cast<uint64_t>(tensor.shape[cache.axis]);
  uint64_t copies = 1;
  for (uint32_t d = 0; d < cache.axis; ++d) copies *= static_cast<uint64_t>(tensor.shape[d]);
  const uint64_t row_bytes = tensor.size_bytes / (copies * extent);
  const uint64_t run_bytes = rows.size_bytes / copies;
  const std::byte* fresh = memory_.hostPointer(cache.rows);
  for (uint64_t copy = 0; copy < copies; ++copy) {
    const uint64_t at = (copy * extent + static_cast<uint64_t>(row)) * row_bytes;
    VTA_RETURN_IF_ERROR(
        memory_.writeState({tensor.space, tensor.offset_bytes + at, run_bytes},
                           {fresh + copy * run_bytes, static_cast<size_t>(run_bytes)}));
  }
  return {};
}

Status KeptText::append() {
  const ContextInfo& context = info_.context;
  if (!context.isKept()) return {};
  const int64_t words = wordsOfRun();
  const int64_t read = length();
  // Behind the last words there is no run that could look at them.
  if (read + 2 * words <= context.capacity) {
    for (const CacheInfo& cache : context.caches) VTA_RETURN_IF_ERROR(appendTo(cache, read));
  }
  const int64_t longer = read + words;
  const TensorInfo& length = info_.tensors[context.length];
  return memory_.writeState({length.space, length.offset_bytes, sizeof longer},
                            std::as_bytes(std::span(&longer, 1)));
}

}  // namespace vta::driver
