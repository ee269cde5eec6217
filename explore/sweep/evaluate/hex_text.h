// Bytes as text, for a cache of texts.
#pragma once

#include <string>
#include <string_view>

#include "base/status.h"

namespace vta::sweep {

inline std::string toHex(std::string_view bytes) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  text.reserve(2 * bytes.size());
  for (const char c : bytes) {
    text += kDigits[static_cast<unsigned char>(c) >> 4];
    text += kDigits[static_cast<unsigned char>(c) & 15];
  }
  return text;
}

/// Error: not what toHex writes.
inline Result<std::string> fromHex(std::string_view text) {
  const auto valueOf = [](char c) {
    if (c >= '0' && c <= '9') return c - '0';
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
  };
  std::string bytes;
  for (size_t i = 0; i + 1 < text.size(); i += 2) {
    const int high = valueOf(text[i]);
    const int low = valueOf(text[i + 1]);
    if (high < 0 || low < 0) return invalidArgument("this is no text of bytes");
    bytes += static_cast<char>(high * 16 + low);
  }
  return bytes;
}

}  // namespace vta::sweep
