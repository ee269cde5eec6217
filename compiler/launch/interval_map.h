// NewestIn: the newest event in any range of an address space.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace vta {

/// Remembers, for every address, the number of the last event that touched it. Event numbers never
/// decrease.
class NewestIn {
 public:
  static constexpr int64_t kNone = -1;

  NewestIn() : segments_{{0, kNone}} {}

  /// Event `number` touches [begin, end).
  void touch(uint64_t begin, uint64_t end, int64_t number) {
    if (begin >= end) return;
    const size_t first = splitAt(begin);
    const size_t last = splitAt(end);
    segments_[first].number = number;
    segments_.erase(segments_.begin() + static_cast<std::ptrdiff_t>(first) + 1,
                    segments_.begin() + static_cast<std::ptrdiff_t>(last));
  }

  /// The last event that touched any address of [begin, end); kNone if there was none.
  int64_t newest(uint64_t begin, uint64_t end) const {
    int64_t result = kNone;
    for (size_t i = segmentOf(begin); i < segments_.size() && segments_[i].begin < end; ++i) {
      result = std::max(result, segments_[i].number);
    }
    return result;
  }

 private:
  // Addresses from `begin` to the next segment's.
  struct Segment {
    uint64_t begin = 0;
    int64_t number = kNone;
  };

  size_t segmentOf(uint64_t address) const {
    const auto after =
        std::upper_bound(segments_.begin(), segments_.end(), address,
                         [](uint64_t value, const Segment& s) { return value < s.begin; });
    return static_cast<size_t>(after - segments_.begin()) - 1;
  }

  // Makes a segment start at `address` and returns its number.
  size_t splitAt(uint64_t address) {
    const size_t at = segmentOf(address);
    if (segments_[at].begin == address) return at;
    segments_.insert(segments_.begin() + static_cast<std::ptrdiff_t>(at) + 1,
                     {address, segments_[at].number});
    return at + 1;
  }

  std::vector<Segment> segments_;  // sorted; the first begins at 0
};

}  // namespace vta
