#include "driver/runtime/kept_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <span>

#include "module/analysis/text_rows.h"

namespace vta::driver {
namespace {

/// The dimension of words in the input of a run with several.
constexpr size_t kWordAxis = 1;

}  // namespace

int64_t KeptText::length() const {
  if (!info_.context.isKept()) return 0;
  int64_t length = 0;
  std::memcpy(&length, memory_.hostPointer(static_cast<uint32_t>(info_.context.length)),
              sizeof length);
  return length;
}

bool KeptText::needsFilling(const TensorMap& inputs) const {
  const int64_t most = mostWordsOfRun(info_);
  if (most == 1 || info_.inputs.size() != 1) return false;
  const auto given = inputs.find(info_.inputs[0].name);
  if (given == inputs.end() || given->second.shape.size() <= kWordAxis) return false;
  const int64_t words = given->second.shape[kWordAxis];
  const std::vector<int64_t>& shape = info_.tensors[info_.inputs[0].tensor].shape;
  return words >= 1 && words < most && shape.size() > kWordAxis && shape[kWordAxis] == most;
}

/// A batch of 1 stands in front of the words, so they lie one behind the other.
int64_t KeptText::fillUp(TensorMap& inputs) const {
  const int64_t most = mostWordsOfRun(info_);
  if (!needsFilling(inputs)) return most;
  Tensor& tensor = inputs.at(info_.inputs[0].name);
  const auto words = static_cast<size_t>(tensor.shape[kWordAxis]);
  tensor.shape[kWordAxis] = most;
  tensor.data.resize(tensor.data.size() / words * static_cast<size_t>(most));
  // Numbers of words say so: a model may look for the last one that is none of these.
  if (tensor.dtype == DType::kI64) std::ranges::fill(tensor.as<int64_t>().subspan(words), -1);
  if (tensor.dtype == DType::kI32) std::ranges::fill(tensor.as<int32_t>().subspan(words), -1);
  return static_cast<int64_t>(words);
}

Status KeptText::checkRoom(int64_t words) const {
  if (!info_.context.isKept()) return {};
  const int64_t read = length();
  const int64_t capacity = textCapacity(info_);
  if (read >= 0 && read <= capacity - words) return {};
  return {StatusCode::kResourceExhausted,
          fmt::format("the text has {} words, and the module keeps {} at most; clear the session's "
                      "state, or compile with a larger --context-length",
                      read, capacity)};
}

/// Before `axis`, dimensions of a cache hold its rows several times.
Status KeptText::appendTo(const CacheInfo& cache, int64_t first_row, int64_t words) {
  const TensorInfo& tensor = info_.tensors[cache.tensor];
  const TensorInfo& rows = info_.tensors[cache.rows];
  const auto extent = static_cast<uint64_t>(tensor.shape[cache.axis]);
  const auto begin = static_cast<uint64_t>(first_row);
  if (begin >= extent) return {};
  uint64_t copies = 1;
  for (uint32_t d = 0; d < cache.axis; ++d) copies *= static_cast<uint64_t>(tensor.shape[d]);
  const uint64_t row_bytes = tensor.size_bytes / (copies * extent);
  const uint64_t run_bytes = rows.size_bytes / copies;
  const uint64_t added_bytes = std::min<uint64_t>(words, extent - begin) * row_bytes;
  const std::byte* fresh = memory_.hostPointer(cache.rows);
  for (uint64_t copy = 0; copy < copies; ++copy) {
    const uint64_t at = (copy * extent + begin) * row_bytes;
    VTA_RETURN_IF_ERROR(
        memory_.writeState({tensor.space, tensor.offset_bytes + at, added_bytes},
                           {fresh + copy * run_bytes, static_cast<size_t>(added_bytes)}));
  }
  return {};
}

Status KeptText::setLength(int64_t length) {
  const TensorInfo& tensor = info_.tensors[info_.context.length];
  return memory_.writeState({tensor.space, tensor.offset_bytes, sizeof length},
                            std::as_bytes(std::span(&length, 1)));
}

Status KeptText::append(int64_t words) {
  const ContextInfo& context = info_.context;
  if (!context.isKept()) return {};
  const int64_t read = length();
  for (const CacheInfo& cache : context.caches) VTA_RETURN_IF_ERROR(appendTo(cache, read, words));
  return setLength(read + words);
}

Status KeptText::shorten(int64_t length) {
  const int64_t read = this->length();
  if (length < 0 || length > read) {
    return invalidArgument(
        fmt::format("a text of {} words cannot be shortened to {}", read, length));
  }
  return length == read ? Status() : setLength(length);
}

}  // namespace vta::driver
