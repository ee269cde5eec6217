// What a JSON library's error says, without the number by which the library knows it.
#pragma once

#include <string>
#include <string_view>

namespace vta {

/// "[json.exception.type_error.302] type must be string, but is number" from "type" on.
inline std::string jsonReason(std::string_view what) {
  constexpr std::string_view kNumber = "[json.exception.";
  const size_t end = what.find("] ");
  if (what.starts_with(kNumber) && end != std::string_view::npos) what.remove_prefix(end + 2);
  return std::string(what);
}

}  // namespace vta
