// Characters in bytes of UTF-8.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace vta {

/// Bytes of the character that `text` begins with; 0: it begins with none, or with a part of one.
size_t characterBytes(std::string_view text);

/// Whether all of `text` is characters.
bool isUtf8(std::string_view text);

/// Bytes at the end of `text` that may become a character once more bytes follow.
size_t unfinishedBytes(std::string_view text);

/// The character of a code point up to U+10FFFF.
std::string characterOf(char32_t code);

}  // namespace vta
