// What the module asks of the page.
#pragma once

#include <string>
#include <string_view>

namespace vta::web {

/// The tree of a YAML text as JSON, {"tree": node} or {"error": text, "line": n, "column": n};
/// yaml_load.cpp says what a node is.
std::string parseYaml(std::string_view text);

}  // namespace vta::web
