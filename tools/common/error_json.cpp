#include "tools/common/error_json.h"

#include <fmt/format.h>

#include <algorithm>

#include "tools/common/print.h"

namespace vta::tools {
namespace {

std::string noted_error;

std::string jsonString(std::string_view text) {
  std::string result = "\"";
  // printable() leaves UTF-8 with line ends and tabs as the only control characters.
  for (const char c : printable(text)) {
    if (c == '"' || c == '\\') {
      result += '\\';
      result += c;
    } else if (c == '\n' || c == '\t') {
      result += c == '\n' ? "\\n" : "\\t";
    } else {
      result += c;
    }
  }
  return result + "\"";
}

}  // namespace

void noteError(std::string_view message) { noted_error = message; }

std::string notedErrorJson(std::string_view tool, int exit_code) {
  if (noted_error.empty()) return "";
  return fmt::format(
      "{{\n  \"format\": \"vta-error\",\n  \"version\": 1,\n  \"tool\": {},\n  \"exit_code\": {},\n"
      "  \"message\": {}\n}}\n",
      jsonString(tool), exit_code, jsonString(noted_error));
}

bool wantsJson(int argc, char** argv) {
  return std::any_of(argv, argv + argc,
                     [](const char* argument) { return std::string_view(argument) == "--json"; });
}

}  // namespace vta::tools
