// Byte-pair encoding: neighbours are joined, the best pair first, until no pair is known.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

namespace vta::driver {

/// What two neighbours become, and how early: the smallest order goes first.
struct Merge {
  double order = 0;
  int64_t token = 0;
};

/// Nothing for tokens that are not joined.
using FindMerge = std::function<std::optional<Merge>(int64_t left, int64_t right)>;

/// Joins neighbours of `tokens`. Of equal orders the leftmost goes first. Takes time in proportion
/// to n log n.
std::vector<int64_t> mergePairs(const std::vector<int64_t>& tokens, const FindMerge& find);

}  // namespace vta::driver
