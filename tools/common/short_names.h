// Names of layers and the like in columns that are narrower than they are.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace vta::tools {

/// The names as printableName() writes them, each of at most `most` characters (10 or more), so
/// that different names stay different: what is left out is a part in which they are alike. Names
/// that differ in too many places get a number behind a "~".
std::vector<std::string> shortNames(std::span<const std::string> names, size_t most);

}  // namespace vta::tools
