// BufferMap: whose the buffers of a device are.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

namespace vta::remote {

/// Bytes [begin, end) of device memory.
struct ByteRange {
  uint64_t begin = 0;
  uint64_t end = 0;

  bool overlaps(const ByteRange& other) const { return begin < other.end && other.begin < end; }
};

/// Buffers of all sessions on one device; they do not overlap.
class BufferMap {
 public:
  /// Who has a buffer: a session's number.
  using Owner = uint64_t;

  void add(const ByteRange& range, Owner owner) { buffers_[range.begin] = {range.end, owner}; }
  void remove(uint64_t begin) { buffers_.erase(begin); }

  /// Whether exactly this is a buffer of `owner`.
  bool isBuffer(const ByteRange& range, Owner owner) const;

  /// Whether the range lies in one buffer of `owner`.
  bool owns(const ByteRange& range, Owner owner) const;

  /// Whether a byte of the range is in a buffer of somebody else.
  bool touchesOthers(const ByteRange& range, Owner owner) const;

  /// The buffers of `owner`.
  std::vector<ByteRange> of(Owner owner) const;

  /// Bytes of all buffers.
  uint64_t totalBytes() const;

 private:
  struct Buffer {
    uint64_t end = 0;
    Owner owner = 0;
  };
  std::map<uint64_t, Buffer> buffers_;  // by begin
};

}  // namespace vta::remote
