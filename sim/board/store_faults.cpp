#include "sim/board/store_faults.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

namespace vta::sim {
namespace {

/// Bytes that a store left as they were do not end a range that is longer than this.
constexpr size_t kGapBytes = 64;
/// How far displaced bytes go: eight lines, and a bit that shows in a dump.
constexpr size_t kShiftBytes = 0x200;

struct Stored {
  size_t begin = 0;
  size_t end = 0;
  size_t size() const { return end - begin; }
};

/// The longest range of bytes that changed; empty when none did.
Stored longestStored(std::span<const std::byte> now, std::span<const std::byte> before) {
  Stored longest;
  Stored range;
  for (size_t at = 0; at < now.size(); ++at) {
    // Most of the memory is as it was.
    constexpr size_t kStepBytes = 4096;
    if (at % kStepBytes == 0 && at + kStepBytes <= now.size() &&
        std::memcmp(&now[at], &before[at], kStepBytes) == 0) {
      at += kStepBytes - 1;
      continue;
    }
    if (now[at] == before[at]) continue;
    if (range.size() == 0 || at > range.end + kGapBytes) range = {at, at};
    range.end = at + 1;
    if (range.size() > longest.size()) longest = range;
  }
  return longest;
}

void restore(std::span<std::byte> now, std::span<const std::byte> before, size_t begin,
             size_t end) {
  std::copy(before.begin() + static_cast<int64_t>(begin),
            before.begin() + static_cast<int64_t>(end), now.begin() + static_cast<int64_t>(begin));
}

}  // namespace

void truncateStores(std::span<std::byte> now, std::span<const std::byte> before) {
  const Stored stored = longestStored(now, before);
  // Not at the begin of a line: a cache would forget whole ones.
  const size_t cut = (stored.begin + stored.size() * 2 / 3) | 8;
  if (cut < stored.end) restore(now, before, cut, stored.end);
}

void displaceStores(std::span<std::byte> now, std::span<const std::byte> before) {
  const Stored stored = longestStored(now, before);
  const size_t half = stored.begin + stored.size() / 2;
  const size_t room = now.size() - stored.end;
  if (stored.size() == 0 || room < kShiftBytes) return;
  const std::vector<std::byte> moved(now.begin() + static_cast<int64_t>(half),
                                     now.begin() + static_cast<int64_t>(stored.end));
  restore(now, before, half, stored.end);
  std::ranges::copy(moved, now.begin() + static_cast<int64_t>(half + kShiftBytes));
}

void flipStoredBit(std::span<std::byte> now, std::span<const std::byte> before) {
  const Stored stored = longestStored(now, before);
  if (stored.size() > 0) now[stored.begin + stored.size() / 2] ^= std::byte{0x10};
}

}  // namespace vta::sim
