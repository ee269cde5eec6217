#include "driver/remote/server/launches/buffer_map.h"

#include <iterator>

namespace vta::remote {

bool BufferMap::isBuffer(const ByteRange& range, Owner owner) const {
  const auto found = buffers_.find(range.begin);
  return found != buffers_.end() && found->second.end == range.end && found->second.owner == owner;
}

bool BufferMap::owns(const ByteRange& range, Owner owner) const {
  const auto after = buffers_.upper_bound(range.begin);
  if (after == buffers_.begin() || range.end < range.begin) return false;
  const Buffer& buffer = std::prev(after)->second;
  return buffer.owner == owner && range.end <= buffer.end && range.begin <= buffer.end;
}

bool BufferMap::touchesOthers(const ByteRange& range, Owner owner) const {
  auto at = buffers_.upper_bound(range.begin);
  if (at != buffers_.begin()) --at;
  for (; at != buffers_.end() && at->first < range.end; ++at) {
    if (at->second.owner != owner && range.begin < at->second.end) return true;
  }
  return false;
}

std::vector<ByteRange> BufferMap::of(Owner owner) const {
  std::vector<ByteRange> ranges;
  for (const auto& [begin, buffer] : buffers_) {
    if (buffer.owner == owner) ranges.push_back({begin, buffer.end});
  }
  return ranges;
}

uint64_t BufferMap::totalBytes() const {
  uint64_t total = 0;
  for (const auto& [begin, buffer] : buffers_) total += buffer.end - begin;
  return total;
}

}  // namespace vta::remote
