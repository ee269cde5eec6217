// How two pieces of memory differ that should be equal, and what makes memory differ like that.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace vta::driver {

/// The size of a cache line that differences are looked at in. Zynq's lines have 32 bytes, those of
/// ZynqMP 64.
inline constexpr uint64_t kSmallestLineBytes = 32;

enum class DifferenceKind : uint8_t {
  kStaleLines,    // whole lines hold what was there before
  kWrongAddress,  // the right bytes, at another place
  kTruncated,     // right up to some place, and behind it what was there before or zeros
  kValues,        // other bytes
};
std::string_view differenceKindName(DifferenceKind kind);  // "stale cache lines", ...

struct MemoryDifference {
  DifferenceKind kind = DifferenceKind::kValues;
  uint64_t first_byte = 0;  // that differs
  uint64_t end_byte = 0;    // behind the last one that differs
  uint64_t count = 0;       // bytes that differ
  int64_t shift_bytes = 0;  // kWrongAddress: what should be at first_byte is at first_byte + shift

  /// "bytes 64 to 127 hold what was there before: stale cache lines"
  std::string text() const;
};

/// Compares `actual` with `expected`; nullopt when they are equal. `before` is what the memory held
/// before the transfer, as long as the other two; empty when that is not known.
std::optional<MemoryDifference> findDifference(std::span<const std::byte> actual,
                                               std::span<const std::byte> expected,
                                               std::span<const std::byte> before);

}  // namespace vta::driver
