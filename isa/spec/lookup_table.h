// The table of the extension `lut`: each lane of the ALU has one result for each int8.
//
// A lane's table is 64 words of four bytes. TABLE writes the words of all lanes at one index from
// an element of ACC, LUT reads a byte of each.
#pragma once

#include <cstdint>

namespace vta {

/// Results in a lane's table: one for each int8, in the order 0 to 127, -128 to -1.
inline constexpr uint32_t kTableEntries = 256;
/// Results in a word, the first in its low bits.
inline constexpr uint32_t kTableEntriesPerWord = 4;
inline constexpr uint32_t kTableWords = kTableEntries / kTableEntriesPerWord;

/// The word that TABLE with this immediate writes from the element `dst` of ACC.
constexpr uint32_t tableWordOf(uint32_t dst, int32_t imm) {
  return (dst + static_cast<uint32_t>(imm)) % kTableWords;
}

/// The immediate with which TABLE writes word `word` from the element `dst` of ACC, and the words
/// behind it from the elements behind that one.
constexpr int32_t tableImmediate(uint32_t word, uint32_t dst) {
  return static_cast<int32_t>(word) - static_cast<int32_t>(dst % kTableWords);
}

/// The number of the word in which the result for `x` is. Only the low byte of `x` counts.
constexpr uint32_t tableWordFor(int32_t x) {
  return static_cast<uint8_t>(x) / kTableEntriesPerWord;
}

/// The result for `x`, from that word.
constexpr int32_t tableResult(int32_t word, int32_t x) {
  const uint32_t byte = static_cast<uint32_t>(x) % kTableEntriesPerWord;
  return static_cast<int8_t>(static_cast<uint32_t>(word) >> (8 * byte));
}

}  // namespace vta
