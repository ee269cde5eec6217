// Errors as JSON, for programs that call a tool with --json.
#pragma once

#include <string>
#include <string_view>

namespace vta::tools {

/// What the tool reports as its error; the last one counts.
void noteError(std::string_view message);

/// The error that was noted as one JSON object; empty when none was.
std::string notedErrorJson(std::string_view tool, int exit_code);

/// True when the command line asks for JSON.
bool wantsJson(int argc, char** argv);

}  // namespace vta::tools
