// What assembler and disassembler share. Internal to the isa library.
#pragma once

#include <cctype>
#include <cstdint>
#include <string>
#include <string_view>

#include "isa/instruction/instruction.h"

namespace vta::syntax {

struct TokenFlag {
  std::string_view name;
  bool Tokens::*member;
};
inline constexpr TokenFlag kTokenFlags[] = {
    {"pop_prev", &Tokens::pop_prev},
    {"pop_next", &Tokens::pop_next},
    {"push_prev", &Tokens::push_prev},
    {"push_next", &Tokens::push_next},
};

inline std::string lowerCase(std::string_view text) {
  std::string result(text);
  for (char& c : result) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return result;
}

/// True for names that can stand in "@name+offset" without quotes.
inline bool isPlainName(std::string_view name) {
  if (name.empty()) return false;
  for (char c : name) {
    const bool plain = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.' ||
                       c == '/' || c == ':' || c == '-';
    if (!plain) return false;
  }
  return true;
}

/// `text` in double quotes; quotes, backslashes and control characters as \xHH.
std::string quoted(std::string_view text);

}  // namespace vta::syntax
