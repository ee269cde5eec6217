// Which sources a tool was built from.
#pragma once

#include <string_view>

namespace vta::tools {

/// The commit, with "+changes" behind it where files differed from it; empty where the sources were
/// in no repository.
std::string_view sdkCommit();

}  // namespace vta::tools
