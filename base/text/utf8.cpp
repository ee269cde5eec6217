#include "base/text/utf8.h"

#include <algorithm>
#include <cstdint>

namespace vta {
namespace {

uint8_t byteAt(std::string_view text, size_t index) { return static_cast<uint8_t>(text[index]); }

/// What the first byte of a character says; 0: it is none.
size_t announcedBytes(uint8_t first) {
  if (first < 0x80) return 1;
  if (first >= 0xC2 && first < 0xE0) return 2;
  if (first >= 0xE0 && first < 0xF0) return 3;
  if (first >= 0xF0 && first < 0xF5) return 4;
  return 0;
}

/// Of the second byte: neither longer than needed, nor a surrogate, nor above U+10FFFF.
bool fitsFirst(uint8_t first, uint8_t second) {
  if (second < 0x80 || second > 0xBF) return false;
  if (first == 0xE0) return second >= 0xA0;
  if (first == 0xED) return second < 0xA0;
  if (first == 0xF0) return second >= 0x90;
  if (first == 0xF4) return second < 0x90;
  return true;
}

}  // namespace

size_t characterBytes(std::string_view text) {
  if (text.empty()) return 0;
  const uint8_t first = byteAt(text, 0);
  const size_t bytes = announcedBytes(first);
  if (bytes == 0 || text.size() < bytes) return 0;
  for (size_t i = 1; i < bytes; ++i) {
    const uint8_t byte = byteAt(text, i);
    if (i == 1 ? !fitsFirst(first, byte) : byte < 0x80 || byte > 0xBF) return 0;
  }
  return bytes;
}

bool isUtf8(std::string_view text) {
  while (!text.empty()) {
    const size_t bytes = characterBytes(text);
    if (bytes == 0) return false;
    text.remove_prefix(bytes);
  }
  return true;
}

size_t unfinishedBytes(std::string_view text) {
  constexpr size_t kMostBytes = 3;
  for (size_t count = 1; count <= std::min(kMostBytes, text.size()); ++count) {
    const uint8_t byte = byteAt(text, text.size() - count);
    if (byte >= 0x80 && byte < 0xC0) continue;
    return announcedBytes(byte) > count ? count : 0;
  }
  return 0;
}

std::string characterOf(char32_t code) {
  const auto byte = [](char32_t value) { return static_cast<char>(static_cast<uint8_t>(value)); };
  if (code < 0x80) return {byte(code)};
  if (code < 0x800) return {byte(0xC0 | code >> 6), byte(0x80 | (code & 0x3F))};
  if (code < 0x10000) {
    return {byte(0xE0 | code >> 12), byte(0x80 | (code >> 6 & 0x3F)), byte(0x80 | (code & 0x3F))};
  }
  return {byte(0xF0 | code >> 18), byte(0x80 | (code >> 12 & 0x3F)),
          byte(0x80 | (code >> 6 & 0x3F)), byte(0x80 | (code & 0x3F))};
}

}  // namespace vta
