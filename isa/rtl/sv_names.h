// Names of the RTL that are made from names of instructions.
#pragma once

#include <cctype>
#include <string>
#include <string_view>

namespace vta {

/// "uop_bgn" to "UopBgn", "LOAD" to "Load".
inline std::string camelCase(std::string_view snake) {
  std::string text;
  bool upper = true;
  for (const char c : snake) {
    if (c == '_') {
      upper = true;
      continue;
    }
    const auto letter = static_cast<unsigned char>(c);
    text += static_cast<char>(upper ? std::toupper(letter) : std::tolower(letter));
    upper = false;
  }
  return text;
}

}  // namespace vta
