// Which sources a tool was built from.
#pragma once

#include <string>
#include <string_view>

namespace vta::tools {

/// The commit, with "+changes" behind it where files differed from it; empty where the sources were
/// in no repository.
std::string_view sdkCommit();

/// "vta-run 0.1.0 (0123abcd)": what --version prints.
std::string toolVersion(std::string_view tool);

}  // namespace vta::tools
