#include "driver/memory_difference.h"

#include <fmt/format.h>

#include <algorithm>

namespace vta::driver {
namespace {

using ByteView = std::span<const std::byte>;

/// Fewer bytes are equal by chance.
constexpr size_t kConvincingBytes = 8;

bool equalIn(ByteView a, ByteView b, uint64_t begin, uint64_t end) {
  return std::equal(a.begin() + static_cast<int64_t>(begin), a.begin() + static_cast<int64_t>(end),
                    b.begin() + static_cast<int64_t>(begin));
}

bool isZero(ByteView bytes) {
  return std::ranges::all_of(bytes, [](std::byte byte) { return byte == std::byte{0}; });
}

/// Whether each byte that differs is the one that was there before.
bool isOld(ByteView actual, ByteView expected, ByteView before,
           const MemoryDifference& difference) {
  if (before.empty()) return false;
  for (uint64_t i = difference.first_byte; i < difference.end_byte; ++i) {
    if (actual[i] != expected[i] && actual[i] != before[i]) return false;
  }
  return true;
}

/// Where else in `expected` the bytes of `actual` stand that differ.
std::optional<int64_t> findShift(ByteView actual, ByteView expected,
                                 const MemoryDifference& difference) {
  const uint64_t size_bytes = std::min<uint64_t>(difference.end_byte - difference.first_byte, 64);
  if (size_bytes < kConvincingBytes) return std::nullopt;
  const ByteView piece = actual.subspan(difference.first_byte, size_bytes);
  if (std::ranges::all_of(piece, [&](std::byte byte) { return byte == piece[0]; })) {
    return std::nullopt;
  }
  const auto found = std::ranges::search(expected, piece);
  if (found.empty()) return std::nullopt;
  // The device read from there; what belongs here is as far on the other side.
  return static_cast<int64_t>(difference.first_byte) - (found.begin() - expected.begin());
}

/// Nothing behind the first different byte has arrived.
bool isCutOff(ByteView actual, ByteView expected, ByteView before,
              const MemoryDifference& difference) {
  const uint64_t first = difference.first_byte;
  if (isZero(actual.subspan(first))) return !isZero(expected.subspan(first));
  return !before.empty() && equalIn(actual, before, first, actual.size());
}

DifferenceKind kindOf(ByteView actual, ByteView expected, ByteView before,
                      MemoryDifference& difference) {
  const bool is_cut_off = isCutOff(actual, expected, before, difference);
  const bool is_old = isOld(actual, expected, before, difference);
  // A cache forgets whole lines, whose first byte has any address; a transfer ends at its end.
  const bool begins_inside_a_line = difference.first_byte % kSmallestLineBytes != 0;
  if (is_cut_off && (!is_old || begins_inside_a_line)) return DifferenceKind::kTruncated;
  if (is_old) return DifferenceKind::kStaleLines;
  if (const auto shift = findShift(actual, expected, difference)) {
    difference.shift_bytes = *shift;
    return DifferenceKind::kWrongAddress;
  }
  return DifferenceKind::kValues;
}

}  // namespace

std::string_view differenceKindName(DifferenceKind kind) {
  constexpr std::string_view kNames[] = {"stale cache lines", "wrong address", "truncated transfer",
                                         "other values"};
  return kNames[static_cast<size_t>(kind)];
}

std::string MemoryDifference::text() const {
  const std::string place =
      fmt::format("{} of the bytes {} to {} are wrong", count, first_byte, end_byte - 1);
  switch (kind) {
    case DifferenceKind::kStaleLines:
      return place + ", and hold what was there before: stale cache lines";
    case DifferenceKind::kWrongAddress:
      return fmt::format("{}: they belong {} bytes further {}: wrong address", place,
                         shift_bytes < 0 ? shift_bytes : -shift_bytes,
                         shift_bytes < 0 ? "on" : "back");
    case DifferenceKind::kTruncated:
      return place + ": nothing arrived from there on: truncated transfer";
    case DifferenceKind::kValues:
      break;
  }
  return place;
}

std::optional<MemoryDifference> findDifference(ByteView actual, ByteView expected,
                                               ByteView before) {
  MemoryDifference difference;
  for (uint64_t i = 0; i < expected.size(); ++i) {
    if (actual[i] == expected[i]) continue;
    if (difference.count++ == 0) difference.first_byte = i;
    difference.end_byte = i + 1;
  }
  if (difference.count == 0) return std::nullopt;
  difference.kind = kindOf(actual, expected, before, difference);
  return difference;
}

}  // namespace vta::driver
